// Newest: does one thing at a time, and of the wishes that come meanwhile only the newest. What is done is the caller's.

export class Newest<Wish> {
  private wanted: Wish | null = null;
  private busy = false;

  /** `fulfil` throws nothing; it may ask whether its wish is the newest still, and drop what nobody waits for. */
  constructor(private readonly fulfil: (wish: Wish, isWanted: () => boolean) => Promise<void>) {}

  want(wish: Wish): void {
    this.wanted = wish;
    if (!this.busy) void this.work();
  }

  /** Drops what is wanted. */
  forget(): void {
    this.wanted = null;
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let wish = this.wanted; wish !== null; wish = this.wanted) {
      const isWanted = (): boolean => this.wanted === wish;
      await this.fulfil(wish, isWanted);
      // Still the same wish: it has been fulfilled.
      if (isWanted()) this.wanted = null;
    }
    this.busy = false;
  }
}
