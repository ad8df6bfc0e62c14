import { type Clock, withTimeLimit } from '../../clock';
import { bestEffort, type Log } from '../../log';
import { isThisMachine } from '../../oauth/address';
import type { Actions, Editor } from '../editor/editor';
import type { Choice } from '../editor/quickInput';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';
import { createQrPage } from './qrPage';

/** A clipboard that hasn't answered by then may never do so, and the browser must open all the same. Milliseconds. */
const COPY_PATIENCE = 1_000;

/** What the message says besides the code and where to enter it. */
type Said = 'code' | keyof Texts['signIn']['news'];

/** The code of one sign-in, and what a person can do with it. */
export class CodeMessage {
  /** Whether a phone can open the verification page: not if it's on this machine. */
  readonly #opensOnPhone: boolean;
  /** What all buttons do when the sign-in has ended: extensions can't close a message. */
  #afterEnd: (() => Promise<void>) | undefined;
  /** Whether the browser couldn't be opened, so that other ways to the verification page are offered. */
  #isBrowserMissing = false;
  /** What the last message said. */
  #said: Said = 'code';
  #qrPage: { dispose(): void } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly editor: Editor,
    private readonly log: Log,
    private readonly texts: Texts,
    readonly details: CodeDetails,
  ) {
    this.#opensOnPhone = !isThisMachine(new URL(details.verificationUri));
  }

  /** What can be done, under the names of the commands. */
  get choices(): readonly Choice<() => Promise<void>>[] {
    const { buttons } = this.texts;
    const { address, code } = this.details;
    const qrCode = { icon: 'device-mobile', label: buttons.showQrCode, value: () => this.showQrCode() };
    return [
      { icon: 'link-external', label: buttons.openVerificationPage, value: () => this.openPage() },
      { icon: 'copy', label: buttons.copyUserCode, description: code, value: () => this.copy('code') },
      { icon: 'link', label: buttons.copyAddress, description: address, value: () => this.copy('address') },
      ...(this.#opensOnPhone ? [qrCode] : []),
    ];
  }

  /** The sign-in has ended: the page with the QR code closes, and the buttons of messages say so, and lead to the next one if there's no session. */
  end(isSignedIn: boolean): void {
    const { editor, texts } = this;
    this.#afterEnd = () => {
      editor.showStatusMessage(isSignedIn ? texts.signIn.codeNotNeeded : texts.signIn.codeNotValid);
      return isSignedIn ? Promise.resolve() : editor.runOwn('signInMenu');
    };
    this.#qrPage?.dispose();
  }

  /** Shows the code until the browser is opened or the message is closed, unless the sign-in has ended meanwhile. */
  async show(said: Said = 'code'): Promise<void> {
    this.#said = said;
    if (this.#afterEnd === undefined) {
      await this.editor.message('information', this.#text(said), this.#buttons);
    }
  }

  /** Shows the last message again, which replaces one that's still there. */
  async showAgain(): Promise<void> {
    await this.show(this.#said);
  }

  #text(said: Said): string {
    const { common, signIn } = this.texts;
    const task = signIn.task[this.details.task](this.details);
    if (said !== 'code') {
      return common.sentences(signIn.news[said], task);
    }
    return common.sentences(task, this.#isBrowserMissing ? undefined : signIn.openBrowserCopies);
  }

  /** The buttons of the message, in their order. When the sign-in has ended, each of them says so instead. */
  get #buttons(): Actions {
    const { codeButtons } = this.texts;
    const unlessEnded = (action: () => Promise<void>) => () => (this.#afterEnd ?? action)();
    const copyCode = { [codeButtons.copyCode]: unlessEnded(() => this.#copyAndShow('code')) };
    if (!this.#isBrowserMissing) {
      return { [codeButtons.openBrowser]: unlessEnded(() => this.openPage()), ...copyCode };
    }
    return {
      ...(this.#opensOnPhone && { [codeButtons.showQrCode]: unlessEnded(() => this.showQrCode()) }),
      [codeButtons.copyAddress]: unlessEnded(() => this.#copyAndShow('address')),
      ...copyCode,
    };
  }

  /** Copies the code, or the address of the verification page. A message is closed by its button, so it's shown again. */
  async #copyAndShow(what: 'code' | 'address'): Promise<void> {
    await this.show((await this.#copy(what)) ? 'copied' : 'notCopied');
  }

  /** Copies the code, or the address of the verification page, and says so. */
  async copy(what: 'code' | 'address'): Promise<void> {
    const { editor, texts } = this;
    if (await this.#copy(what)) {
      editor.showStatusMessage(texts.signIn.news.copied);
    } else {
      await this.show('notCopied');
    }
  }

  /** Shows the address as a QR code, for a phone; if no phone can open it, says so. */
  async showQrCode(): Promise<void> {
    const { editor, texts } = this;
    if (!this.#opensOnPhone) {
      await this.show('notOnPhone');
      return;
    }
    const page = await createQrPage(texts, this.details);
    if (this.#afterEnd === undefined) {
      this.#qrPage?.dispose();
      this.#qrPage = editor.page(texts.signIn.qrTitle(this.details), page);
    }
  }

  /** Copies the code and opens the verification page; if that fails, says how to get there. */
  async openPage(): Promise<void> {
    const { editor, log } = this;
    const isCopied = await this.#copy('code');
    const isOpened = await this.#succeeds("The verification page couldn't be opened", () =>
      editor.openExternal(this.details.page),
    );
    log.info(isOpened ? 'The verification page was opened.' : "The verification page wasn't opened.");
    this.#isBrowserMissing = !isOpened;
    if (!isOpened) {
      await this.show('noBrowser');
    } else if (!isCopied) {
      await this.show('notCopied');
    }
  }

  async #copy(what: 'code' | 'address'): Promise<boolean> {
    const text = what === 'code' ? this.details.code : this.details.verificationUri;
    const copy = (): Promise<void> =>
      withTimeLimit(this.clock, COPY_PATIENCE, this.editor.copy(text), () => new Error('The clipboard is silent.'));
    return await this.#succeeds('Nothing could be copied', copy);
  }

  async #succeeds(failure: string, action: () => Promise<unknown>): Promise<boolean> {
    return (await bestEffort(this.log, 'warn', failure, async () => (await action()) !== false)) ?? false;
  }
}
