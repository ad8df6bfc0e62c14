import type { HostKind } from '../../host/desktop';
import type { HowToRun, Ran } from './results';

/** One run of one stage. Steps run side by side. */
export interface Step {
  /** What it runs on, as the summary tells it. */
  readonly on: string;
  /** Whether it opens real editors: one window after the other, or several whose timing is delicate. */
  readonly editor?: 'one window' | 'several windows';
  /** Makes and installs what it needs, once for all steps; absent if it needs nothing. If that fails, so does the step. */
  readonly prepare?: () => Promise<unknown>;
  run(how: HowToRun): Promise<Ran>;
}

/** What may differ from run to run. */
export interface StepOptions {
  /** Kind of host for the integration tests; the best one that this machine can have if omitted. */
  readonly host?: HostKind;
  /** Whether the checkers leave out what they found nothing in and is still the same. */
  readonly onlyChanged?: boolean;
}

/** A part of the tests that can be run alone. */
export interface Stage {
  readonly name: string;
  readonly about: string;
  /** Whether it only runs if it's named, or with all others. */
  readonly isRare?: boolean;
  /** Its steps, the longest first. */
  steps(options: StepOptions): readonly Step[] | Promise<readonly Step[]>;
}
