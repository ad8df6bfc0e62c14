import type { NetworkError } from '../../oauth/errors';
import type { WaitingForUser } from '../../signin/deviceFlow';
import type { ProgressMessage, StatusItem } from '../editor/editor';
import type { Choice } from '../editor/quickInput';
import { shownAddress } from '../texts/plainText';
import type { CodeDetails } from '../texts/signInTexts';
import { CodeMessage, opensOnPhone } from './codeMessage';
import { MENU_COMMAND, type SignInDependencies } from './preparation';

const ONE_SECOND = 1000;

/**
 * Everything that's shown of a sign-in in progress: the code in a message, the time left in a progress notification
 * with Cancel, and both in the status bar, which stays when the messages are gone.
 */
export class SignInView {
  readonly #progress: ProgressMessage;
  readonly #status: StatusItem;
  readonly #over = new AbortController();
  #waiting: WaitingForUser | undefined;
  #shown: string | undefined;
  #code: CodeMessage | undefined;
  #unreachableTold = false;

  /**
   * @param resumed whether another window began it
   * @param cancel cancels it
   * @param again begins a new sign-in when this one is over
   */
  constructor(
    private readonly deps: SignInDependencies,
    private readonly service: string,
    private readonly resumed: boolean,
    private readonly cancel: () => void,
    private readonly again: () => void,
  ) {
    const { brand, editor, texts } = deps;
    const title = texts.signIn.progress({ service });
    this.#progress = editor.progress(title, cancel);
    this.#status = editor.statusItem(title, `${brand.prefix}.${MENU_COMMAND}`);
    this.#progress.report(texts.signIn.requestingCode);
    this.#status.show({ text: `$(sync~spin) ${title}`, tooltip: texts.signIn.requestingCode, spoken: title });
  }

  /** Shows the code and the time left, or that the service can't be reached at the moment. */
  wait(waiting: WaitingForUser): void {
    const { editor, brand, log } = this.deps;
    this.#waiting = waiting;
    this.#draw(waiting);
    if (this.#code === undefined) {
      this.#code = new CodeMessage(this.deps, this.#details(waiting), this.again);
      editor.setContext(`${brand.prefix}.waitingForUser`, true);
      void this.#code.show(this.resumed);
      void this.#countDown();
    }
    if (waiting.unreachable !== undefined) {
      log.warn(`The service can't be reached; the sign-in continues. ${waiting.unreachable.message}`);
      void this.#tellUnreachable(waiting.unreachable);
    }
  }

  /** Runs an action on the code; if there is none yet, says so. */
  async withCode(action: (code: CodeMessage) => Promise<void>): Promise<void> {
    if (this.#code === undefined) {
      this.deps.editor.showStatusMessage(this.deps.texts.signIn.noCodeYet);
    } else {
      await action(this.#code);
    }
  }

  /** Offers everything that can be done during the sign-in, under the names of the commands. */
  async menu(): Promise<void> {
    const { editor, texts } = this.deps;
    const { buttons, signIn } = texts;
    const cancel = { icon: 'close', label: buttons.cancelSignIn, value: this.cancel };
    const choices: Choice<() => Promise<void> | void>[] = [];
    const code = this.#code;
    if (code !== undefined) {
      const { details } = code;
      choices.push(
        { icon: 'link-external', label: buttons.openVerificationPage, value: () => code.openPage() },
        { icon: 'copy', label: buttons.copyUserCode, description: details.code, value: () => code.copy('code') },
        { icon: 'link', label: buttons.copyAddress, description: details.address, value: () => code.copy('address') },
      );
      if (opensOnPhone(details.verificationUri)) {
        choices.push({ icon: 'device-mobile', label: buttons.showQrCode, value: () => code.showQrCode() });
      }
    }
    const placeholder = code === undefined ? signIn.noCodeYet : signIn.selectAction;
    const title = signIn.progress({ service: this.service });
    const chosen = await editor.choose({ title, placeholder, choices: [...choices, cancel] });
    await chosen?.();
  }

  /** Removes everything that can be removed. Idempotent. */
  end(signedIn: boolean): void {
    this.#over.abort();
    this.#progress.end();
    this.#status.dispose();
    this.#code?.end(signedIn);
    this.deps.editor.setContext(`${this.deps.brand.prefix}.waitingForUser`, false);
  }

  async #countDown(): Promise<void> {
    for (;;) {
      try {
        await this.deps.clock.sleep(ONE_SECOND, this.#over.signal);
      } catch {
        // The sign-in has ended.
        return;
      }
      if (this.#waiting !== undefined) {
        this.#draw(this.#waiting);
      }
    }
  }

  /** Draws only changes, because a screen reader announces each of them. */
  #draw(waiting: WaitingForUser): void {
    const { clock, texts } = this.deps;
    const { expiresAt, unreachable } = waiting;
    const left = texts.times.left(expiresAt - clock.monotonic());
    const text = unreachable === undefined ? texts.signIn.waiting({ left }) : texts.signIn.waitingOffline({ left });
    if (text === this.#shown) {
      return;
    }
    this.#shown = text;
    this.#progress.report(text);
    const details = this.#details(waiting);
    this.#status.show({
      text: texts.signIn.statusBar(details.code, left),
      tooltip: texts.signIn.statusBarTooltip(details),
      spoken: texts.signIn.statusBarSpoken(details, left),
    });
  }

  #details({ userCode, verificationUri }: WaitingForUser): CodeDetails {
    return { service: this.service, code: userCode, verificationUri, address: shownAddress(verificationUri) };
  }

  async #tellUnreachable(error: NetworkError): Promise<void> {
    if (this.#unreachableTold) {
      return;
    }
    this.#unreachableTold = true;
    const { brand, editor, texts } = this.deps;
    const text = texts.signIn.continues({ why: texts.signIn.networkError(this.service, error) });
    // The editor shows only one line of a message without a button.
    await editor.message('warning', text, { [texts.buttons.showLog]: () => editor.run(`${brand.prefix}.showLog`) });
  }
}
