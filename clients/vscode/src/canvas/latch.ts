/** Something to wait for that may never come: it opens by itself after a while. */

const PATIENCE_MS = 3000;

export class Latch {
  readonly opened: Promise<void>;
  private resolve: () => void = () => undefined;
  private readonly timer: NodeJS.Timeout;

  /** @param after called once, when it opens */
  constructor(private readonly after: () => void) {
    this.opened = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.timer = setTimeout(() => this.open(), PATIENCE_MS);
  }

  open(): void {
    clearTimeout(this.timer);
    this.after();
    this.resolve();
  }
}
