import { bestEffort } from '../../log';
import type { WrongSettingError } from '../settings/wrongSetting';
import type { ConfigureWiring } from './clientSecret';

/** Whoever edits the settings isn't done at once, and neither is a change that takes several of them. Milliseconds. */
const UNTIL_EDITED = 3_000;

/** Tells the person, once, which settings can't be used. */
export class SettingProblems {
  readonly #told = new Set<string>();

  /** @param closing aborted when the window closes */
  constructor(
    private readonly wiring: ConfigureWiring,
    private readonly closing: AbortSignal,
  ) {}

  /** Tells what's still wrong in a moment and wasn't told, if the person is in this window. Never rejects. */
  async tell(): Promise<void> {
    const { closing } = this;
    const { clock, editor, log, messages, settings, texts } = this.wiring;
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
    const failure = messages.describe(first, { service: settings.current.label, baseUrl: undefined });
    const { problems } = settings.current;
    const several = problems.length === 1 ? undefined : texts.settings.severalWrong({ number: problems.length });
    void messages.show({
      severity: 'warning',
      text: texts.common.sentences(failure.text, several),
      offers: [...failure.offers, 'showStatus'],
      problems,
    });
  }

  #untold(): readonly WrongSettingError[] {
    return this.wiring.settings.current.problems.filter(({ message }) => !this.#told.has(message));
  }
}
