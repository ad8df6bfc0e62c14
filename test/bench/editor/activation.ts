import { atMost, type Results } from '../figure';
import { ratios, spreadOf } from '../statistics';
import { readActivationTimes } from './activationTimes';
import type { Stage } from './stage';

const OURS = 'device-flow.device-flow-authentication';
const GITHUB = 'vscode.github-authentication';
const WINDOWS = 9;

/** Time to load and activate, beside VS Code's own GitHub provider in the same window. */
export async function measureActivation(stage: Stage): Promise<Results> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const parts = { load: [] as number[], activate: [] as number[] };
  for (let run = 0; run < WINDOWS; run++) {
    const { window, probe } = await stage.open();
    await probe.do('wakeGithub', {});
    const times = await readActivationTimes(window.workbench, [OURS, GITHUB]);
    await window.close();
    const [own, other] = [times[OURS], times[GITHUB]];
    if (own === undefined || other === undefined) throw new Error('An activation time is missing.');
    ours.push(own.total);
    theirs.push(other.total);
    parts.load.push(own.load);
    parts.activate.push(own.activate);
  }
  const ratio = spreadOf(ratios(ours, theirs));
  return {
    figures: [
      {
        what: 'Time to load and activate',
        unit: 'ms',
        measured: spreadOf(ours),
        reference: { what: 'github-authentication in the same window', measured: spreadOf(theirs) },
        ratio,
        target: atMost(0.5, ratio.median),
        note:
          'As "Developer: Startup Performance" reports it, in whole milliseconds, one new window for each run. Of it, ' +
          `${spreadOf(parts.load).median} ms load the code and ${spreadOf(parts.activate).median} ms activate.`,
      },
    ],
  };
}
