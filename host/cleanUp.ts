/** Steps that undo a setup, run in reverse order. */
export class CleanUp {
  private readonly steps: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;

  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /** Runs the steps once, however often and from wherever it's called. */
  run(): Promise<void> {
    return (this.running ??= this.all());
  }

  private async all(): Promise<void> {
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) await step();
  }
}
