import { withTimeLimit } from '../../clock';
import { bestEffort } from '../../log';
import { isThisMachine } from '../../oauth/address';
import type { Interruption } from '../../signin/pollingPace';
import type { ReceivedCode } from '../../signin/receivedCode';
import type { Actions } from '../editor/editor';
import { describeInterruption } from '../failures/describeFailure';
import type { ConfiguredService } from '../settings/service';
import { shownAddress } from '../texts/plainText';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';
import { shownScopes } from '../texts/shownScopes';
import { type AddedScopes, describeAddedScopes } from './addedScopes';
import { CodeMessage } from './codeMessage';
import type { SignInWiring } from './wiring';
import { createQrPage } from './qrPage';

const ONE_SECOND = 1000;

/** A code that comes sooner is shown at once: a notification about the request would only flash. Milliseconds. */
const REQUEST_UNSHOWN = 2 * ONE_SECOND;

/** A clipboard that hasn't answered by then may never do so, and the browser must open all the same. Milliseconds. */
const COPY_PATIENCE = ONE_SECOND;

/** An editor that hasn't opened the browser by then may still be asking, or may never do so. Milliseconds. */
const OPEN_PATIENCE = 5 * ONE_SECOND;

/**
 * What can be done with a code, in the order of the message's buttons and of the progress' links. Each is a command, too, because
 * links run commands. A QR code is only of use if a phone can open the verification page.
 */
export const CODE_ACTIONS = ['openVerificationPage', 'copyUserCode', 'showQrCode'] as const;

type CodeAction = (typeof CODE_ACTIONS)[number];

/** What can be done with a code whose verification page a phone can open, or can't because it's on this machine. */
function codeActions(opensOnPhone: boolean): readonly CodeAction[] {
  return CODE_ACTIONS.filter((name) => opensOnPhone || name !== 'showQrCode');
}

/** A code that's shown. */
interface ShownCode {
  readonly details: CodeDetails;
  /** On the monotonic clock. */
  readonly expiresAt: number;
  readonly addedScopes: AddedScopes | undefined;
  readonly opensOnPhone: boolean;
}

/**
 * Everything that's shown of one sign-in in progress, one notification at a time: first the message with the code and its buttons,
 * and when that was answered, or VS Code has hidden it, a progress notification with Cancel until the end.
 */
export class SignInView {
  readonly #ended = new AbortController();
  readonly #message: CodeMessage;
  #isMessageLeft = false;
  #code: ShownCode | undefined;
  #interruption: Interruption | undefined;
  /** The progress notification, while it's shown. */
  #progress: { readonly ended: AbortController; readonly report: (text: string) => void } | undefined;
  #progressText = '';
  #isCopied = false;
  #browser: 'not opened' | 'opening' | 'opened' | 'failed' = 'not opened';
  #qrPage: { dispose(): void } | undefined;
  /** What the buttons do when the sign-in has ended: extensions can't close a message. */
  #afterEnd: (() => Promise<void> | void) | undefined;

  /**
   * @param earlier the message of an earlier sign-in, which may still be there. Then this one's code is in the progress only: there are
   *   never two messages with codes
   * @param cancel cancels the sign-in
   */
  constructor(
    private readonly wiring: Pick<SignInWiring, 'clock' | 'editor' | 'log' | 'texts' | 'toast'>,
    private readonly service: ConfiguredService,
    private readonly earlier: CodeMessage | undefined,
    private readonly cancel: () => void,
  ) {
    this.#message = new CodeMessage(wiring.clock, wiring.editor);
    this.#message.onDidChange(() => {
      this.#draw();
    });
    void wiring.clock.sleep(REQUEST_UNSHOWN, this.#ended.signal).then(
      () => {
        this.#draw();
      },
      () => undefined,
    );
  }

  /**
   * Shows the code.
   * @param addedScopes what the person confirms besides the sign-in itself
   */
  showCode({ authorization, expiresAt }: ReceivedCode, addedScopes: AddedScopes | undefined): void {
    const { editor } = this.wiring;
    const { userCode: code, verificationUri, verificationUriComplete: page = verificationUri } = authorization;
    const details: CodeDetails = {
      service: this.#serviceBehind(verificationUri),
      code,
      verificationUri,
      page,
      address: shownAddress(verificationUri),
      task: page === verificationUri ? 'enter' : 'check',
    };
    const opensOnPhone = !isThisMachine(new URL(verificationUri));
    this.#code = { details, expiresAt, addedScopes, opensOnPhone };
    editor.setContext('waitingForUser', true);
    editor.setContext('phoneCanOpenPage', opensOnPhone);
    this.showMessage();
    void this.#countDown();
  }

  /** The message with a code that may still be there: the earlier one, or else this one's. */
  get lastMessage(): CodeMessage {
    return this.earlier?.isAnswered === false ? this.earlier : this.#message;
  }

  /** Brings a code that's still of use into view: in the message or, if there's still a message with an earlier one, in the progress. */
  showMessage(): void {
    const { common, codeButtons: names, signIn } = this.wiring.texts;
    if (this.#code === undefined || this.#ended.signal.aborted) {
      return;
    }
    if (this.earlier?.isAnswered === false) {
      // A new progress notification is in view again, if the person has hidden the one before.
      this.#hideProgress();
      this.#draw();
      return;
    }
    const { details, opensOnPhone } = this.#code;
    const text = common.sentences(signIn.task[details.task](details), this.#describeAddedScopes(this.#code));
    const buttons: Actions = Object.fromEntries(
      codeActions(opensOnPhone).map((name) => [names[name], () => this.#press(name)]),
    );
    this.#message.show(text, buttons);
  }

  /** Shows why the last poll brought no answer, from the next second on; `undefined` if it brought one. */
  showInterruption(interruption: Interruption | undefined): void {
    this.#interruption = interruption;
    if (interruption !== undefined) {
      this.wiring.log.warn(`The sign-in was interrupted, and continues. ${interruption.message}`);
    }
  }

  /** What a button does: when the sign-in has ended, each of them leads to what can be done then. */
  async #press(action: CodeAction): Promise<void> {
    if (this.#afterEnd === undefined) {
      await this.do(action);
    } else {
      await this.#afterEnd();
    }
  }

  /** Does what a command, a link, or a button is about. If there's no code yet, says so. */
  async do(action: CodeAction): Promise<void> {
    const { editor, texts } = this.wiring;
    const code = this.#code;
    if (code === undefined || this.#ended.signal.aborted) {
      editor.showStatusMessage(code === undefined ? texts.signIn.noCodeYet : texts.signIn.codeNotNeeded);
      return;
    }
    switch (action) {
      case 'openVerificationPage':
        await this.#openPage(code);
        return;
      case 'copyUserCode':
        this.#isCopied = await this.#copy(code.details.code);
        editor.showStatusMessage(this.#isCopied ? texts.signIn.news.copied : texts.signIn.news.notCopied);
        this.#draw();
        return;
      case 'showQrCode':
        await this.#showQrCode(code);
    }
  }

  /** Lists all scopes that the account gets in addition, if any, until the sign-in ends. Nothing can be done with them. */
  async showScopes(): Promise<void> {
    const { editor, texts } = this.wiring;
    const added = this.#code?.addedScopes;
    if (added === undefined) {
      return;
    }
    const list = {
      title: texts.signIn.progress({ service: this.service.name }),
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
    this.#afterEnd = afterEnd;
    this.#isMessageLeft = this.#message.isInView;
    this.#ended.abort();
    this.#message.stopWatching();
    this.#hideProgress();
    this.#qrPage?.dispose();
    this.wiring.editor.setContext('waitingForUser', false);
    this.wiring.editor.setContext('phoneCanOpenPage', false);
  }

  /**
   * Says how the sign-in has ended, where the progress was: in a notification that goes by itself or, if there's a message in view that
   * still shows the code, in the status bar rather than above that.
   */
  showResult(text: string): void {
    const { toast, editor } = this.wiring;
    if (this.#isMessageLeft) {
      editor.showStatusMessage(text);
    } else {
      toast.show(text);
    }
  }

  /** Copies the code and opens the verification page. The progress says how that went. */
  async #openPage({ details }: ShownCode): Promise<void> {
    const { clock, editor, log } = this.wiring;
    this.#browser = 'opening';
    this.#isCopied = await this.#copy(details.code);
    const isOpened = this.#succeeds("The verification page couldn't be opened", () =>
      editor.openExternal(details.page),
    );
    void withTimeLimit(clock, OPEN_PATIENCE, isOpened, () => new Error('The browser is silent.')).catch(() => {
      this.#browser = 'failed';
    });
    this.#browser = (await isOpened) ? 'opened' : 'failed';
    log.info(this.#browser === 'opened' ? 'The verification page was opened.' : "The verification page wasn't opened.");
    this.#draw();
  }

  /** Shows the address as a QR code, for a phone; if no phone can open it, says so. */
  async #showQrCode({ details, opensOnPhone }: ShownCode): Promise<void> {
    const { editor, texts } = this.wiring;
    if (!opensOnPhone) {
      editor.showStatusMessage(texts.signIn.news.notOnPhone);
      return;
    }
    const page = await createQrPage(texts, details);
    if (!this.#ended.signal.aborted) {
      this.#qrPage?.dispose();
      this.#qrPage = editor.page(texts.signIn.qrTitle(details), page);
    }
  }

  async #copy(text: string): Promise<boolean> {
    const { clock, editor } = this.wiring;
    const silent = (): Error => new Error('The clipboard is silent.');
    const copy = (): Promise<void> => withTimeLimit(clock, COPY_PATIENCE, editor.copy(text), silent);
    return await this.#succeeds('Nothing could be copied', copy);
  }

  async #succeeds(failure: string, action: () => Promise<unknown>): Promise<boolean> {
    return (await bestEffort(this.wiring.log, 'warn', failure, async () => (await action()) !== false)) ?? false;
  }

  /** The service, with its host if the code is entered at another: whoever runs that host gets access, unless it's this machine. */
  #serviceBehind(verificationUri: string): string {
    const { id, name: service } = this.service;
    const baseUrl = new URL(id.baseUrl);
    if (isThisMachine(baseUrl)) {
      return service;
    }
    const { host } = baseUrl;
    const isNamed = host === service || host === new URL(verificationUri).host;
    return isNamed ? service : this.wiring.texts.common.withDetail(service, host);
  }

  #describeAddedScopes({ addedScopes }: ShownCode): string | undefined {
    const { editor, texts } = this.wiring;
    return addedScopes && describeAddedScopes(texts, addedScopes, editor.link('showScopes'));
  }

  /** Draws the time left, each second. */
  async #countDown(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.#draw();
      // It rejects when the sign-in ends.
      await this.wiring.clock.sleep(ONE_SECOND, signal).catch(() => undefined);
    }
  }

  #draw(): void {
    if (this.#ended.signal.aborted) {
      return;
    }
    if (this.#message.isInView) {
      this.#hideProgress();
    } else {
      const { requestingCode } = this.wiring.texts.signIn;
      const text =
        this.#code === undefined ? requestingCode({ service: this.service.name }) : this.#describe(this.#code);
      this.#showProgress(text);
    }
  }

  /** The code first, because VS Code cuts the text off where it shows a hidden progress; then what to do, and how. */
  #describe(code: ShownCode): string {
    const { clock, texts } = this.wiring;
    const { common, signIn, times } = texts;
    const left = times.left(code.expiresAt - clock.monotonic());
    const interruption = this.#interruption && describeInterruption(texts, this.#interruption, code.details.service);
    return common.sentences(
      signIn.waiting[this.#nextStep(code)](code.details),
      left === undefined ? signIn.lastSeconds : signIn.timeLeft({ left }),
      this.#describeAddedScopes(code),
      interruption,
      this.#links(code),
    );
  }

  /** What the person has to do next. */
  #nextStep({ details: { task } }: ShownCode): keyof Texts['signIn']['waiting'] {
    switch (this.#browser) {
      case 'failed':
        return 'noBrowser';
      case 'opened':
        return task === 'enter' && this.#isCopied ? 'paste' : 'confirm';
      case 'opening':
        return task;
      case 'not opened':
        return this.#isCopied ? 'copied' : task;
    }
  }

  /** Links for what can be done with the code, as far as this build has commands for it. */
  #links({ opensOnPhone }: ShownCode): string | undefined {
    const { editor, texts } = this.wiring;
    const links = codeActions(opensOnPhone).flatMap((name) => {
      const target = editor.link(name);
      return target === undefined ? [] : `[${texts.buttons[name]}](${target})`;
    });
    return links.length === 0 ? undefined : links.join(' · ');
  }

  /** Draws only changes, because a screen reader announces each of them. */
  #showProgress(text: string): void {
    if (this.#progress === undefined) {
      const ended = new AbortController();
      const report = this.wiring.editor.progress(undefined, ended.signal, this.cancel);
      this.#progress = { ended, report };
      this.#progressText = '';
    }
    if (text !== this.#progressText) {
      this.#progressText = text;
      this.#progress.report(text);
    }
  }

  #hideProgress(): void {
    this.#progress?.ended.abort();
    this.#progress = undefined;
  }
}
