import type { Interruption } from '../../signin/pollingPace';
import type { ReceivedCode } from '../../signin/receivedCode';
import type { Clock } from '../../clock';
import type { Log } from '../../log';
import { isThisMachine } from '../../oauth/address';
import { describeInterruption } from '../describeFailure';
import type { Editor } from '../editor/editor';
import type { List } from '../editor/quickInput';
import { shownAddress } from '../texts/plainText';
import type { ConfiguredService } from '../settings/service';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';
import { CodeMessage } from './codeMessage';
import { describeWidening, shownScopes, type Widening } from './widening';

const ONE_SECOND = 1000;

/**
 * How long after the person came back the code is shown again. Most services are polled every 5 s, so by then, a poll has shown
 * whether the person has confirmed. Milliseconds.
 */
const UNTIL_SHOWN_AGAIN = 6 * ONE_SECOND;

/** What a sign-in is shown with. */
export interface SignInViewDependencies {
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly texts: Texts;
}

/** What is shown of a sign-in, and what its buttons do. */
export interface SignInViewOptions {
  readonly service: ConfiguredService;
  /** Whether another window began it. */
  readonly isResumed: boolean;
  /** Cancels it. */
  readonly cancel: () => void;
}

/**
 * Everything that's shown of a sign-in in progress: the code in a message with buttons, and the code with the time left
 * in a progress notification with Cancel and in the status bar, which both stay when the message is gone.
 */
export class SignInView {
  readonly #title: string;
  readonly #ended = new AbortController();
  readonly #report: ReturnType<Editor['progress']>;
  readonly #showStatus: ReturnType<Editor['statusItem']>;
  #code: CodeMessage | undefined;
  #widening: Widening | undefined;
  #interruption: Interruption | undefined;

  constructor(
    private readonly deps: SignInViewDependencies,
    private readonly options: SignInViewOptions,
  ) {
    const { editor, texts } = deps;
    const title = texts.signIn.progress({ service: options.service.name });
    this.#title = title;
    this.#report = editor.progress(title, this.#ended.signal, options.cancel);
    this.#showStatus = editor.statusItem(title, 'signInMenu', this.#ended.signal);
    this.#report(texts.signIn.requestingCode);
    this.#showStatus({ text: `$(sync~spin) ${title}`, tooltip: texts.signIn.requestingCode, spoken: title });
  }

  /**
   * Shows the code and the time left.
   * @param widening what the person confirms besides the sign-in itself. The progress notification says it, because
   *   that isn't cut off, and goes when the sign-in ends
   */
  showCode({ authorization, expiresAt }: ReceivedCode, widening: Widening | undefined): void {
    const { clock, editor, log, texts } = this.deps;
    const { userCode: code, verificationUri, verificationUriComplete: page = verificationUri } = authorization;
    const details: CodeDetails = {
      service: this.#serviceBehind(verificationUri),
      code,
      verificationUri,
      page,
      address: shownAddress(verificationUri),
      task: page === verificationUri ? 'enter' : 'check',
    };
    this.#widening = widening;
    this.#code = new CodeMessage(clock, editor, log, texts, details);
    editor.setContext('waitingForUser', true);
    void this.#code.show(this.options.isResumed ? 'resumed' : 'code');
    void this.#countDown(details, expiresAt);
  }

  /** Shows why the last poll brought no answer, from the next second on; `undefined` if it brought one. */
  showInterruption(interruption: Interruption | undefined): void {
    this.#interruption = interruption;
    if (interruption !== undefined) {
      this.deps.log.warn(`The sign-in was interrupted, and continues. ${interruption.message}`);
    }
  }

  /**
   * Shows the code again to a person who comes back to the window, because VS Code hides its message after ten seconds.
   * Not at once: most come back because they have confirmed, and the next poll shows that.
   */
  async showCodeAgainLater(): Promise<void> {
    const { clock, editor } = this.deps;
    try {
      await clock.sleep(UNTIL_SHOWN_AGAIN, this.#ended.signal);
    } catch {
      return;
    }
    if (editor.isFocused) {
      await this.#code?.showAgain();
    }
  }

  /** The code, when there is one. */
  get code(): CodeMessage | undefined {
    return this.#code;
  }

  /** Offers everything that can be done during the sign-in, under the names of the commands, until it ends. */
  async menu(): Promise<void> {
    const { editor, texts } = this.deps;
    const { buttons, signIn } = texts;
    const { code } = this;
    const showScopes = { icon: 'list-unordered', label: buttons.showScopes, value: () => this.showScopes() };
    const list: List<() => Promise<void> | void> = {
      title: this.#title,
      placeholder: code === undefined ? signIn.requestingCode : signIn.selectAction,
      choices: [
        ...(code?.choices ?? []),
        ...(this.#widening === undefined ? [] : [showScopes]),
        { icon: 'close', label: buttons.cancelSignIn, value: this.options.cancel },
      ],
    };
    const chosen = await editor.choose(list, this.#ended.signal);
    await chosen?.();
  }

  /** Lists all scopes that the account gets in addition, if any, until the sign-in ends. Nothing can be done with them. */
  async showScopes(): Promise<void> {
    const { editor, texts } = this.deps;
    if (this.#widening === undefined) {
      return;
    }
    const list = {
      title: this.#title,
      placeholder: texts.signIn.allScopes({ account: this.#widening.account }),
      choices: shownScopes(this.#widening.scopes).map((label) => ({ label, value: label })),
    };
    await editor.choose(list, this.#ended.signal);
  }

  /** Removes everything that can be removed. */
  end(isSignedIn: boolean): void {
    this.#ended.abort();
    this.#code?.end(isSignedIn);
    this.deps.editor.setContext('waitingForUser', false);
  }

  /** The service, with its host if the code is entered at another: whoever runs that host gets access, unless it's this machine. */
  #serviceBehind(verificationUri: string): string {
    const { id, name: service } = this.options.service;
    const baseUrl = new URL(id.baseUrl);
    if (isThisMachine(baseUrl)) {
      return service;
    }
    const { host } = baseUrl;
    const isNamed = host === service || host === new URL(verificationUri).host;
    return isNamed ? service : this.deps.texts.common.withDetail(service, host);
  }

  /**
   * What the sign-in waits for, how much time is left for that, and whether the service responds. Its link stays when VS Code has
   * hidden the message with the buttons.
   */
  #progressText(details: CodeDetails, left: string): string {
    const { editor, texts } = this.deps;
    const { common, signIn } = texts;
    const task = signIn.waiting({ code: details.code, left, link: editor.link('openVerificationPage') });
    const widening = this.#widening && describeWidening(texts, this.#widening, editor.link('showScopes'));
    const interruption = this.#interruption && describeInterruption(texts, this.#interruption, details.service);
    return common.sentences(task, widening, interruption);
  }

  /** Shows the time left, each second. Draws only changes, because a screen reader announces each of them. */
  async #countDown(details: CodeDetails, expiresAt: number): Promise<void> {
    const { clock, texts } = this.deps;
    const { signIn, times } = texts;
    const { signal } = this.#ended;
    let drawn = '';
    while (!signal.aborted) {
      const left = times.left(expiresAt - clock.monotonic());
      const text = this.#progressText(details, left);
      if (text !== drawn) {
        drawn = text;
        this.#report(text);
        this.#showStatus({
          text: `$(key) ${signIn.statusBar({ ...details, left })}`,
          tooltip: signIn.task[details.task](details),
          spoken: signIn.statusBarSpoken({ ...details, code: signIn.spelled(details.code), left }),
        });
      }
      // It rejects when the sign-in ends.
      await clock.sleep(ONE_SECOND, signal).catch(() => undefined);
    }
  }
}
