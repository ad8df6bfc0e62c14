import type { Interruption } from '../../signin/pollingPace';
import type { ReceivedCode } from '../../signin/receivedCode';
import { isThisMachine } from '../../oauth/address';
import { describeInterruption } from '../failures/describeFailure';
import type { Editor, StatusItemContents } from '../editor/editor';
import type { List } from '../editor/quickInput';
import { shownAddress } from '../texts/plainText';
import type { ConfiguredService } from '../settings/service';
import { CodeMessage, type CodeMessageDependencies } from './codeMessage';
import { ProgressNotification } from './progressNotification';
import { untilMessageTimesOut } from './messageTimeout';
import { type AddedScopes, describeAddedScopes, shownScopes } from './addedScopes';

const ONE_SECOND = 1000;

/** A code that comes sooner is shown at once: a notification about the request would only flash. Milliseconds. */
const REQUEST_UNSHOWN = 2 * ONE_SECOND;

/** What is shown of a sign-in, and what its buttons do. */
interface SignInViewOptions {
  readonly service: ConfiguredService;
  /** Cancels it. */
  readonly cancel: () => void;
}

interface ShownCode {
  readonly message: CodeMessage;
  readonly expiresAt: number;
  readonly addedScopes: AddedScopes | undefined;
}

/**
 * Everything that's shown of a sign-in in progress. The status bar shows it all the time, in a few words. Besides, one notification
 * at a time is in view: the message with the code and its buttons, and while that isn't in view, a progress notification with Cancel.
 */
export class SignInView {
  readonly #title: string;
  readonly #ended = new AbortController();
  readonly #progress: ProgressNotification;
  readonly #showStatus: ReturnType<Editor['statusItem']>;
  #code: ShownCode | undefined;
  #interruption: Interruption | undefined;
  /** Whether the message with the code is still there when the sign-in ends. */
  #isCodeLeft = false;
  #drawn = '';

  constructor(
    private readonly dependencies: CodeMessageDependencies,
    private readonly options: SignInViewOptions,
  ) {
    const { clock, editor, texts } = dependencies;
    const { name: service } = options.service;
    const requestingCode = texts.signIn.requestingCode({ service });
    const title = texts.signIn.progress({ service });
    this.#title = title;
    this.#progress = new ProgressNotification(editor, options.cancel);
    this.#showStatus = editor.statusItem(title, 'signInMenu', this.#ended.signal);
    this.#showStatus({ text: `$(sync~spin) ${title}`, tooltip: requestingCode, spoken: title });
    const showRequest = (): void => {
      if (this.#code === undefined) {
        this.#progress.show(requestingCode);
      }
    };
    void clock.sleep(REQUEST_UNSHOWN, this.#ended.signal).then(showRequest, () => undefined);
  }

  /**
   * Shows the code and the time left.
   * @param addedScopes what the person confirms besides the sign-in itself
   */
  showCode({ authorization, expiresAt }: ReceivedCode, addedScopes: AddedScopes | undefined): void {
    const { dependencies } = this;
    const { editor, texts } = dependencies;
    const { userCode: code, verificationUri, verificationUriComplete: page = verificationUri } = authorization;
    const details = {
      service: this.#serviceBehind(verificationUri),
      code,
      verificationUri,
      page,
      address: shownAddress(verificationUri),
      task: page === verificationUri ? ('enter' as const) : ('check' as const),
    };
    const added = addedScopes && describeAddedScopes(texts, addedScopes, editor.link('showScopes'));
    const message = new CodeMessage(dependencies, details, added);
    this.#code = { message, expiresAt, addedScopes };
    message.onDidChange(() => {
      this.#draw();
    });
    editor.setContext('waitingForUser', true);
    editor.setContext('phoneCanOpenPage', message.opensOnPhone);
    message.show();
    void this.#countDown();
  }

  /** Shows why the last poll brought no answer, from the next second on; `undefined` if it brought one. */
  showInterruption(interruption: Interruption | undefined): void {
    this.#interruption = interruption;
    if (interruption !== undefined) {
      this.dependencies.log.warn(`The sign-in was interrupted, and continues. ${interruption.message}`);
    }
  }

  /** The code, when there is one. */
  get code(): CodeMessage | undefined {
    return this.#code?.message;
  }

  /** Offers everything that can be done during the sign-in, under the names of the commands, until it ends. */
  async menu(): Promise<void> {
    const { editor, texts } = this.dependencies;
    const { buttons, signIn } = texts;
    const showScopes = { icon: 'list-unordered', label: buttons.showScopes, value: () => this.showScopes() };
    const list: List<() => Promise<void> | void> = {
      title: this.#title,
      placeholder:
        this.#code === undefined ? signIn.requestingCode({ service: this.options.service.name }) : signIn.selectAction,
      choices: [
        ...(this.#code?.message.choices ?? []),
        ...(this.#code?.addedScopes === undefined ? [] : [showScopes]),
        { icon: 'close', label: buttons.cancelSignIn, value: this.options.cancel },
      ],
    };
    const chosen = await editor.choose(list, this.#ended.signal);
    await chosen?.();
  }

  /** Lists all scopes that the account gets in addition, if any, until the sign-in ends. Nothing can be done with them. */
  async showScopes(): Promise<void> {
    const { editor, texts } = this.dependencies;
    const added = this.#code?.addedScopes;
    if (added === undefined) {
      return;
    }
    const list = {
      title: this.#title,
      placeholder: texts.signIn.allScopes({ account: added.account }),
      choices: shownScopes(added.scopes).map((label) => ({ label, value: label })),
    };
    await editor.choose(list, this.#ended.signal);
  }

  /**
   * Removes everything that can be removed.
   * @param afterEnd what the buttons of a message that's left do from now on
   */
  end(afterEnd: () => Promise<void> | void): void {
    this.#isCodeLeft = this.#code?.message.isInView === true;
    this.#ended.abort();
    this.#progress.hide();
    this.#code?.message.end(afterEnd);
    this.dependencies.editor.setContext('waitingForUser', false);
    this.dependencies.editor.setContext('phoneCanOpenPage', false);
  }

  /**
   * Says how the sign-in has ended, where the progress was: in a notification that goes by itself or, if there's a message left that
   * still shows the code, in the status bar rather than above that.
   */
  showResult(text: string): void {
    const { clock, editor } = this.dependencies;
    if (this.#isCodeLeft) {
      editor.showStatusMessage(text);
      return;
    }
    const seen = new AbortController();
    editor.announce(text, seen.signal);
    void untilMessageTimesOut(clock, editor).then(() => {
      seen.abort();
    });
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
    return isNamed ? service : this.dependencies.texts.common.withDetail(service, host);
  }

  /** Draws the time left, each second. */
  async #countDown(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.#draw();
      // It rejects when the sign-in ends.
      await this.dependencies.clock.sleep(ONE_SECOND, signal).catch(() => undefined);
    }
  }

  #draw(): void {
    if (this.#code !== undefined && !this.#ended.signal.aborted) {
      const { clock, editor, texts } = this.dependencies;
      const { message, expiresAt } = this.#code;
      const { code, service } = message.details;
      const { common, signIn, times } = texts;
      const left = times.left(expiresAt - clock.monotonic());
      const interruption = this.#interruption && describeInterruption(texts, this.#interruption, service);
      this.#drawStatus({
        text: `$(${interruption === undefined ? 'key' : 'warning'}) ${signIn.statusBar({ code, left })}`,
        tooltip: common.sentences(message.whatToDo, interruption),
        spoken: signIn.statusBarSpoken({ service, code: signIn.spelled(code), left }),
      });
      if (message.isInView) {
        this.#progress.hide();
      } else {
        const link = editor.link('openVerificationPage');
        const task = signIn.waiting[message.progress]({ code, left, link, service });
        this.#progress.show(common.sentences(task, message.addedScopes, interruption));
      }
    }
  }

  /** Draws only changes: a screen reader may announce each of them. */
  #drawStatus(contents: StatusItemContents): void {
    const drawn = JSON.stringify(contents);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#showStatus(contents);
    }
  }
}
