import { atMost, type Figure, type Results } from '../figure';
import { ratios, spreadOf } from '../statistics';
import { type ActivationTime, readActivationTimes } from './activationTimes';
import type { Stage } from './stage';

const OURS = 'device-flow.device-flow-authentication';
const GITHUB = 'vscode.github-authentication';
const WINDOWS = 9;
const WINDOWS_APART = 5;

/** Time to load and activate, beside VS Code's own GitHub provider in the same window. */
export async function measureActivation(stage: Stage): Promise<Results> {
  const started = await times(stage, WINDOWS, false);
  const apart = await times(stage, WINDOWS_APART, true);
  const figure = figureOf('Time to load and activate', started);
  return {
    figures: [
      {
        ...figure,
        target: atMost(0.4, figure.ratio.median),
        note:
          'As "Developer: Startup Performance" reports it, in whole milliseconds, one new window for each run. ' +
          `${inParts(started)} Each is charged with what else runs between the beginning and the end of its activation: ` +
          'VS Code wakes its GitHub provider first of all, and this extension when the window has started, with others.',
      },
      {
        ...figureOf('Time to load and activate, 2 s after the window started, with nothing else', apart),
        note: `${inParts(apart)} The GitHub provider can't be kept from being activated early.`,
      },
    ],
  };
}

interface Pair {
  readonly own: ActivationTime;
  readonly other: ActivationTime;
}

async function times(stage: Stage, windows: number, apart: boolean): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let run = 0; run < windows; run++) {
    const { window, probe } = await stage.open(apart);
    await probe.do('activated', {});
    await probe.do('wakeGithub', {});
    const { [OURS]: own, [GITHUB]: other } = await readActivationTimes(window.workbench, [OURS, GITHUB]);
    await window.close();
    if (own === undefined || other === undefined) throw new Error('An activation time is missing.');
    pairs.push({ own, other });
  }
  return pairs;
}

function figureOf(what: string, pairs: readonly Pair[]): Figure & Pick<Required<Figure>, 'ratio'> {
  const ours = pairs.map(({ own }) => own.total);
  const theirs = pairs.map(({ other }) => other.total);
  return {
    what,
    unit: 'ms',
    measured: spreadOf(ours),
    reference: { what: 'github-authentication in the same window', measured: spreadOf(theirs) },
    ratio: spreadOf(ratios(ours, theirs)),
  };
}

function inParts(pairs: readonly Pair[]): string {
  const median = (pick: (pair: Pair) => number): number => spreadOf(pairs.map(pick)).median;
  return (
    `${median(({ own }) => own.load)} ms of it load the code and ${median(({ own }) => own.activate)} ms activate; for ` +
    `github-authentication ${median(({ other }) => other.load)} and ${median(({ other }) => other.activate)} ms.`
  );
}
