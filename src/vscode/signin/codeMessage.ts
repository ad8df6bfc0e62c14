import { safeTrace } from '../../log';
import { offer, type Page } from '../editor/editor';
import type { CodeDetails } from '../texts/signInTexts';
import type { SignInDependencies } from './dependencies';
import { opensOnPhone, qrPage } from './qrCode';

/** The code of one sign-in, and what a person does with it. */
export class CodeMessage {
  #over: 'signed in' | 'not signed in' | undefined;
  #qrPage: Page | undefined;

  /** @param onSignIn begins a new sign-in, for those who press a button of a message whose sign-in is over */
  constructor(
    private readonly deps: Pick<SignInDependencies, 'editor' | 'texts' | 'log'>,
    readonly details: CodeDetails,
    private readonly onSignIn: () => void,
  ) {}

  /**
   * The sign-in is over. VS Code lets no extension take a message back, so its buttons say that it is over; the page with
   * the QR code closes. Idempotent.
   */
  end(signedIn: boolean): void {
    this.#over ??= signedIn ? 'signed in' : 'not signed in';
    this.#qrPage?.close();
  }

  /**
   * Shows the code until the browser was opened or the message is closed. The same text once more replaces the message
   * that is still there.
   * @param resumed whether another window began the sign-in
   */
  async show(resumed = false): Promise<void> {
    const { signIn } = this.deps.texts;
    await this.#offer((resumed ? signIn.resumed : signIn.code)(this.details));
  }

  /** Copies the code, or the address of the verification page, and says so. */
  async copy(what: 'code' | 'address'): Promise<void> {
    const { editor, texts } = this.deps;
    if (await this.#copy(what === 'code' ? this.details.userCode : this.details.verificationUri)) {
      editor.remark(texts.signIn.copied(what));
    } else {
      await this.#offer(texts.signIn.notCopied(this.details));
    }
  }

  /** Shows the address as a QR code, for a phone; if no phone can open it, says so. */
  async showQrCode(): Promise<void> {
    const { editor, texts } = this.deps;
    if (!opensOnPhone(this.details.verificationUri)) {
      await this.#offer(texts.signIn.notOnPhone(this.details));
      return;
    }
    this.#qrPage?.close();
    this.#qrPage = editor.page(texts.signIn.qrTitle(this.details.service), (nonce) =>
      qrPage(texts, this.details, nonce),
    );
  }

  /** Copies the code and opens the verification page; if that fails, says how to get there. */
  async openPage(): Promise<void> {
    const { signIn } = this.deps.texts;
    const copied = await this.#copy(this.details.userCode);
    if (!(await this.#open())) {
      await this.#offer(signIn.noBrowser(this.details), true);
    } else if (!copied) {
      await this.#offer(signIn.notCopied(this.details));
    }
  }

  async #offer(text: string, withAddress = false): Promise<void> {
    const { editor, texts } = this.deps;
    const { openBrowser, copyCode, copyAddress, showQrCode } = texts.buttons;
    const unlessOver = (action: () => Promise<void>) => () => (this.#over === undefined ? action() : this.#tellOver());
    const forPhone = { [showQrCode]: unlessOver(() => this.showQrCode()) };
    const address = {
      ...(opensOnPhone(this.details.verificationUri) ? forPhone : {}),
      [copyAddress]: unlessOver(async () => {
        await this.copy('address');
        await this.#offer(texts.signIn.noBrowser(this.details), true);
      }),
    };
    await offer(editor, 'information', text, {
      ...(withAddress ? address : { [openBrowser]: unlessOver(() => this.openPage()) }),
      [copyCode]: unlessOver(async () => {
        const copied = await this.#copy(this.details.userCode);
        await this.#offer((copied ? texts.signIn.codeCopied : texts.signIn.notCopied)(this.details), withAddress);
      }),
    });
  }

  async #tellOver(): Promise<void> {
    const { editor, texts } = this.deps;
    if (this.#over === 'signed in') {
      editor.remark(texts.signIn.over);
    } else {
      await offer(editor, 'information', texts.signIn.over, { [texts.buttons.signIn]: this.onSignIn });
    }
  }

  async #open(): Promise<boolean> {
    const { editor, log } = this.deps;
    try {
      const opened = await editor.openExternal(this.details.verificationUri);
      log.info(opened ? 'The verification page was opened.' : 'The person decided not to open the verification page.');
      return opened;
    } catch (error) {
      log.warn(`The verification page could not be opened: ${safeTrace(error)}`);
      return false;
    }
  }

  async #copy(text: string): Promise<boolean> {
    try {
      await this.deps.editor.copy(text);
      return true;
    } catch (error) {
      this.deps.log.warn(`Nothing could be copied: ${safeTrace(error)}`);
      return false;
    }
  }
}
