/** Work that is done one after another; one that fails holds up none behind it. */

export class Turns {
  private last: Promise<void> = Promise.resolve();

  /** @param failed hears what went wrong; must not throw */
  constructor(private readonly failed: (error: unknown) => void) {}

  /** Ends when the work has ended, well or not. Never rejects. */
  take(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work).catch(this.failed);
    return this.last;
  }
}
