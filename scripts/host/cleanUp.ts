/** What is to be cleared away in the end, the last thing first. */
export class CleanUp {
  private readonly steps: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;

  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /** Clears away, once, however often and from wherever it is called. */
  run(): Promise<void> {
    return (this.running ??= this.all());
  }

  private async all(): Promise<void> {
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) await step();
  }
}
