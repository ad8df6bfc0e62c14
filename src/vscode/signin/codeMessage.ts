import type { Bitmap2D } from 'lean-qr/nano';
import { bestEffort, type Log } from '../../log';
import { isThisMachine } from '../../oauth/address';
import type { Actions, Editor } from '../editor/editor';
import type { Choice } from '../editor/quickInput';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';

/** What the message says besides the code and where to enter it. */
type Said = 'code' | keyof Texts['signIn']['news'];

/** The code of one sign-in, and what a person can do with it. */
export class CodeMessage {
  /** Whether a phone can open the verification page: not if it's on this machine. */
  readonly #opensOnPhone: boolean;
  /** What all buttons do when the sign-in has ended: extensions can't close a message. */
  #afterEnd: (() => Promise<void>) | undefined;
  #shown: { readonly said: Said; readonly withoutBrowser: boolean } = { said: 'code', withoutBrowser: false };
  #qrPage: { dispose(): void } | undefined;

  constructor(
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
      editor.showStatusMessage(texts.signIn.codeNotValid);
      return isSignedIn ? Promise.resolve() : editor.runOwn('signInMenu');
    };
    this.#qrPage?.dispose();
  }

  /**
   * Shows the code until the browser is opened or the message is closed, unless the sign-in has ended meanwhile. Showing the
   * same text again replaces a message that's still there.
   * @param withoutBrowser whether to offer other ways to the verification page than the browser
   */
  async show(said: Said = 'code', withoutBrowser = false): Promise<void> {
    if (this.#afterEnd !== undefined) {
      return;
    }
    this.#shown = { said, withoutBrowser };
    await this.editor.message('information', this.#text(said), this.#buttons(withoutBrowser));
  }

  #text(said: Said): string {
    const { common, signIn } = this.texts;
    const task = signIn.task[this.details.task](this.details);
    return said === 'code'
      ? common.sentences({ first: task, second: signIn.openBrowserCopies })
      : common.sentences({ first: signIn.news[said], second: task });
  }

  /**
   * The buttons of the message, in their order. When the sign-in has ended, each of them says so instead.
   * @param withoutBrowser whether to offer other ways to the verification page than the browser
   */
  #buttons(withoutBrowser: boolean): Actions {
    const { codeButtons } = this.texts;
    const unlessEnded = (action: () => Promise<void>) => () => (this.#afterEnd ?? action)();
    const openPage = unlessEnded(() => this.openPage());
    const showQrCode = unlessEnded(() => this.showQrCode());
    const copyAddress = unlessEnded(async () => {
      const isCopied = await this.#copy(this.details.verificationUri);
      await this.show(isCopied ? 'copied' : 'notCopied', withoutBrowser);
    });
    const copyCode = unlessEnded(async () => {
      const isCopied = await this.#copy(this.details.code);
      await this.show(isCopied ? 'copied' : 'notCopied', withoutBrowser);
    });
    if (withoutBrowser) {
      return {
        ...(this.#opensOnPhone ? { [codeButtons.showQrCode]: showQrCode } : {}),
        [codeButtons.copyAddress]: copyAddress,
        [codeButtons.copyCode]: copyCode,
      };
    }
    return { [codeButtons.openBrowser]: openPage, [codeButtons.copyCode]: copyCode };
  }

  /** Shows the last message again. */
  async showAgain(): Promise<void> {
    await this.show(this.#shown.said, this.#shown.withoutBrowser);
  }

  /** Copies the code, or the address of the verification page, and says so. */
  async copy(what: 'code' | 'address'): Promise<void> {
    const { editor, texts } = this;
    if (await this.#copy(what === 'code' ? this.details.code : this.details.verificationUri)) {
      editor.showStatusMessage(texts.signIn.news.copied);
    } else {
      await this.show('notCopied', this.#shown.withoutBrowser);
    }
  }

  /** Shows the address as a QR code, for a phone; if no phone can open it, says so. */
  async showQrCode(): Promise<void> {
    const { editor, texts } = this;
    if (!this.#opensOnPhone) {
      await this.show('notOnPhone');
      return;
    }
    // Loaded when somebody wants a QR code: it makes tables while it loads, which every window would wait for at its start.
    const { correction, generate } = await import('lean-qr/nano');
    // Up to 15 percent of it may be unreadable.
    const qrCode = generate(this.details.page, { minCorrectionLevel: correction.M });
    if (this.#afterEnd !== undefined) {
      return;
    }
    this.#qrPage?.dispose();
    const title = texts.signIn.qrTitle(this.details);
    this.#qrPage = editor.page(title, (nonce) => qrPage(texts, this.details, qrCode, nonce));
  }

  /** Copies the code and opens the verification page; if that fails, says how to get there. */
  async openPage(): Promise<void> {
    const { editor, log } = this;
    const isCopied = await this.#copy(this.details.code);
    const isOpened = await this.#succeeds("The verification page couldn't be opened", () =>
      editor.openExternal(this.details.page),
    );
    log.info(isOpened ? 'The verification page was opened.' : "The verification page wasn't opened.");
    if (!isOpened) {
      await this.show('noBrowser', true);
    } else if (!isCopied) {
      await this.show('notCopied');
    }
  }

  async #copy(text: string): Promise<boolean> {
    return await this.#succeeds('Nothing could be copied', () => this.editor.copy(text));
  }

  async #succeeds(failure: string, action: () => Promise<unknown>): Promise<boolean> {
    return (await bestEffort(this.log, 'warn', failure, async () => (await action()) !== false)) ?? false;
  }
}

/** Cameras need four empty modules around a QR code. */
const QUIET = 4;

/**
 * The page that brings the verification address to a phone. It runs no scripts and loads nothing. The QR code is black
 * on white in every theme, because cameras need that.
 * @param nonce the mark of the only style that takes effect
 */
function qrPage({ language, signIn }: Texts, details: CodeDetails, qrCode: Bitmap2D, nonce: string): string {
  const { service, code, verificationUri } = details;
  const size = qrCode.size + 2 * QUIET;
  const line = Array.from({ length: size }, (_, index) => index);
  const modules = line.flatMap((y) => line.map((x) => (qrCode.get(x - QUIET, y - QUIET) ? `M${x} ${y}h1v1h-1z` : '')));
  const title = escaped(signIn.qrTitle({ service }));
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${title}</title>
<style nonce="${nonce}">
body { max-width: 40rem; margin: 0 auto; padding: 1rem 1.5rem 2rem; line-height: 1.5; overflow-wrap: anywhere; }
h1 { font-size: 1.5em; }
svg { display: block; width: min(16rem, 100%); margin: .75rem 0; forced-color-adjust: none; }
.address { font-family: var(--vscode-editor-font-family); }
.code { font: 600 2em var(--vscode-editor-font-family); letter-spacing: .1em; margin: .25rem 0 .75rem; user-select: all; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
</style>
</head>
<body>
<h1>${title}</h1>
<ol>
<li>${escaped(signIn.qrScan)} <span class="address">${escaped(verificationUri)}</span>
<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${escaped(signIn.qrAlternative({ address: verificationUri }))}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${modules.join('')}"/></svg></li>
<li>${escaped(signIn.qrEnter)}
<p class="code"><span aria-hidden="true">${escaped(code)}</span><span class="spoken">${escaped(signIn.spelled(code))}</span></p></li>
<li>${escaped(signIn.qrConfirm)}</li>
</ol>
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
