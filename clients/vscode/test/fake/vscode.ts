/** Stands in for the editor in unit tests: documents, editors with undo, windows that record. */

export * from "./basics";
export * from "./documents";
export * from "./window";
