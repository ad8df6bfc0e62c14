import type { l10n } from 'vscode';
import { type Log, safeTrace } from '../../log';
import { opensOnPhone, QrPanel } from './qrPanel';
import { buttons } from '../words/buttons';
import type { Editor } from '../editor/editor';
import {
  codeCopiedMessage,
  codeMessage,
  copiedRemark,
  noBrowserMessage,
  notCopiedMessage,
  notOnPhoneMessage,
  overMessage,
  resumedMessage,
  type SignInTopic,
} from './signInWords';

type L10n = Pick<typeof l10n, 't'>;

/** What the code's message works with. */
export interface CodeMessageParts {
  readonly editor: Editor;
  readonly l10n: L10n;
  readonly language: string;
  readonly log: Log;
}

/** What came of opening the verification page. */
type Opening = 'opened' | 'opened without copying' | 'not opened';

/** The code of one sign-in, and what a person does with it. */
export class CodeMessage {
  #over = false;
  readonly #qrPanel: QrPanel;

  /** @param onSignIn begins a new sign-in, for those who press a button of a message whose sign-in is over */
  constructor(
    private readonly parts: CodeMessageParts,
    readonly topic: SignInTopic,
    private readonly onSignIn: () => void,
  ) {
    this.#qrPanel = new QrPanel(parts, topic);
  }

  /** The sign-in is over: the message, which the editor does not take back, no longer does what its buttons say. */
  end(): void {
    this.#over = true;
    this.#qrPanel.end();
  }

  /** Shows the code, and stays until the browser was opened or the message is closed. */
  async show(): Promise<void> {
    await this.#offer(codeMessage(this.parts.l10n, this.topic));
  }

  /** Shows the code in another window than the one that began. */
  async showResumed(): Promise<void> {
    await this.#offer(resumedMessage(this.parts.l10n, this.topic));
  }

  /** Copies the code and says so. */
  async copyCode(): Promise<void> {
    const { editor, l10n } = this.parts;
    if (await this.#copy(this.topic.userCode)) {
      editor.remark(copiedRemark(l10n, 'code'));
    } else {
      await this.#offer(notCopiedMessage(l10n, this.topic));
    }
  }

  /** Copies the address of the verification page and says so. */
  async copyAddress(): Promise<void> {
    const { editor, l10n } = this.parts;
    if (await this.#copy(this.topic.verificationUri)) {
      editor.remark(copiedRemark(l10n, 'address'));
    } else {
      await this.#offer(notCopiedMessage(l10n, this.topic));
    }
  }

  /** Shows the address as a QR code, for a phone; where no phone can open it, says so. */
  async showQrCode(): Promise<void> {
    if (opensOnPhone(this.topic.verificationUri)) {
      await this.#qrPanel.show();
    } else {
      await this.#offer(notOnPhoneMessage(this.parts.l10n, this.topic));
    }
  }

  /** Copies the code and opens the verification page; where that fails, says how to get there. */
  async openPage(): Promise<void> {
    await this.#afterOpening(await this.#open());
  }

  async #offer(text: string, withAddress = false): Promise<void> {
    const { editor, l10n } = this.parts;
    const { openBrowser, copyCode, copyAddress, showQrCode, signIn } = buttons(l10n);
    const forPhone = opensOnPhone(this.topic.verificationUri) ? [showQrCode] : [];
    const offered = withAddress ? [...forPhone, copyAddress, copyCode] : [openBrowser, copyCode];
    const pressed = await editor.message('information', text, ...offered);
    if (pressed === undefined) {
      return;
    }
    if (this.#over) {
      if ((await editor.message('information', overMessage(l10n), signIn)) === signIn) {
        this.onSignIn();
      }
      return;
    }
    if (pressed === openBrowser) {
      await this.#afterOpening(await this.#open());
    } else if (pressed === showQrCode) {
      await this.showQrCode();
    } else if (pressed === copyCode) {
      const copied = await this.#copy(this.topic.userCode);
      await this.#offer((copied ? codeCopiedMessage : notCopiedMessage)(l10n, this.topic), withAddress);
    } else {
      await this.copyAddress();
      await this.#offer(noBrowserMessage(l10n, this.topic), true);
    }
  }

  async #afterOpening(opening: Opening): Promise<void> {
    const { l10n } = this.parts;
    if (opening === 'not opened') {
      await this.#offer(noBrowserMessage(l10n, this.topic), true);
    } else if (opening === 'opened without copying') {
      await this.#offer(notCopiedMessage(l10n, this.topic));
    }
  }

  async #open(): Promise<Opening> {
    const { editor, log } = this.parts;
    const copied = await this.#copy(this.topic.userCode);
    try {
      if (!(await editor.openExternal(this.topic.verificationUri))) {
        log.info('The verification page was not opened, as the person decided.');
        return 'not opened';
      }
    } catch (error) {
      log.warn(`The verification page could not be opened: ${safeTrace(error)}`);
      return 'not opened';
    }
    return copied ? 'opened' : 'opened without copying';
  }

  async #copy(text: string): Promise<boolean> {
    try {
      await this.parts.editor.copy(text);
      return true;
    } catch (error) {
      this.parts.log.warn(`Nothing could be copied: ${safeTrace(error)}`);
      return false;
    }
  }
}
