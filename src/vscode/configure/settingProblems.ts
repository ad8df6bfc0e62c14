import type { Clock } from '../../clock';
import { bestEffort, type Log } from '../../log';
import type { ShownBrand } from '../brand';
import { describeFailure } from '../failures/describeFailure';
import type { Editor } from '../editor/editor';
import { buttonsFor } from '../failures/failure';
import type { CurrentSettings } from '../settings/settings';
import type { WrongSettingError } from '../settings/wrongSetting';
import type { Texts } from '../texts/texts';

/** Whoever edits the settings isn't done at once, and neither is a change that takes several of them. Milliseconds. */
const UNTIL_EDITED = 3_000;

interface SettingProblemsDependencies {
  readonly brand: ShownBrand;
  readonly clock: Clock;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  readonly editor: Editor;
  readonly log: Log;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
}

/** Tells the person, once, which settings can't be used. */
export class SettingProblems {
  readonly #told = new Set<string>();

  constructor(private readonly dependencies: SettingProblemsDependencies) {}

  /** Tells what's still wrong in a moment and wasn't told, if the person is in this window. Never rejects. */
  async tell(): Promise<void> {
    const { clock, closing, editor, log, settings, texts } = this.dependencies;
    if (this.#untold().length === 0) {
      return;
    }
    await bestEffort(log, 'debug', "The problems of settings can't be told", () => clock.sleep(UNTIL_EDITED, closing));
    const [first, ...others] = closing.aborted || !editor.isFocused ? [] : this.#untold();
    if (first === undefined) {
      return;
    }
    for (const { message } of [first, ...others]) {
      log.warn(message);
      this.#told.add(message);
    }
    const failure = describeFailure(this.dependencies, first, { service: settings.current.label, baseUrl: undefined });
    const { problems } = settings.current;
    const several = problems.length === 1 ? undefined : texts.settings.severalWrong({ number: problems.length });
    const buttons = buttonsFor(this.dependencies, [...failure.offers, 'showStatus'], { problems });
    void editor.message('warning', texts.common.sentences(failure.text, several), buttons);
  }

  #untold(): readonly WrongSettingError[] {
    return this.dependencies.settings.current.problems.filter(({ message }) => !this.#told.has(message));
  }
}
