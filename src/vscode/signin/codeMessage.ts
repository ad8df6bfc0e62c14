import { correction, generate } from 'lean-qr/nano';
import { safeTrace } from '../../log';
import { isThisMachine } from '../../oauth/address';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';
import type { SignInDependencies } from './preparation';

/** The code of one sign-in, and what a person can do with it. */
export class CodeMessage {
  #over: 'signed in' | 'not signed in' | undefined;
  #qrPage: ReturnType<SignInDependencies['editor']['page']> | undefined;

  /** @param onSignIn begins a new sign-in, offered by buttons of a message whose sign-in is over */
  constructor(
    private readonly deps: Pick<SignInDependencies, 'editor' | 'texts' | 'log'>,
    readonly details: CodeDetails,
    private readonly onSignIn: () => void,
  ) {}

  /**
   * The sign-in is over. Extensions can't close a message, so its buttons say that it's over. The page with the QR
   * code closes. Idempotent.
   */
  end(signedIn: boolean): void {
    this.#over ??= signedIn ? 'signed in' : 'not signed in';
    this.#qrPage?.dispose();
  }

  /**
   * Shows the code until the browser is opened or the message is closed. Showing the same text again replaces a
   * message that's still there.
   * @param resumed whether another window began the sign-in
   */
  async show(resumed = false): Promise<void> {
    const { signIn } = this.deps.texts;
    await this.#offer((resumed ? signIn.resumed : signIn.code)(this.details));
  }

  /** Copies the code, or the address of the verification page, and says so. */
  async copy(what: 'code' | 'address'): Promise<void> {
    const { editor, texts } = this.deps;
    if (await this.#copy(what === 'code' ? this.details.code : this.details.verificationUri)) {
      editor.showStatusMessage(texts.signIn.copied(what));
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
    this.#qrPage?.dispose();
    this.#qrPage = editor.page(texts.signIn.qrTitle(this.details), (nonce) => qrPage(texts, this.details, nonce));
  }

  /** Copies the code and opens the verification page; if that fails, says how to get there. */
  async openPage(): Promise<void> {
    const { signIn } = this.deps.texts;
    const copied = await this.#copy(this.details.code);
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
    await editor.message('information', text, {
      ...(withAddress ? address : { [openBrowser]: unlessOver(() => this.openPage()) }),
      [copyCode]: unlessOver(async () => {
        const copied = await this.#copy(this.details.code);
        await this.#offer((copied ? texts.signIn.codeCopied : texts.signIn.notCopied)(this.details), withAddress);
      }),
    });
  }

  async #tellOver(): Promise<void> {
    const { editor, texts } = this.deps;
    if (this.#over === 'signed in') {
      editor.showStatusMessage(texts.signIn.over);
    } else {
      await editor.message('information', texts.signIn.over, { [texts.buttons.signIn]: this.onSignIn });
    }
  }

  async #open(): Promise<boolean> {
    const { editor, log } = this.deps;
    try {
      const opened = await editor.openExternal(this.details.verificationUri);
      log.info(opened ? 'The verification page was opened.' : 'The person decided not to open the verification page.');
      return opened;
    } catch (error) {
      log.warn(`The verification page couldn't be opened: ${safeTrace(error)}`);
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

/** Whether a phone can open the verification page: not if it's on this machine. */
export function opensOnPhone(verificationUri: string): boolean {
  return !isThisMachine(new URL(verificationUri));
}

/** Cameras need four empty modules around a QR code. */
const QUIET = 4;

/**
 * The page that brings the verification address to a phone. It runs no scripts and loads nothing. The QR code is black
 * on white in every theme, because cameras need that.
 * @param nonce the mark of the only style that takes effect
 */
function qrPage({ language, signIn }: Texts, { service, code, verificationUri }: CodeDetails, nonce: string): string {
  // Up to 15 percent of it may be unreadable.
  const qr = generate(verificationUri, { minCorrectionLevel: correction.M });
  const size = qr.size + 2 * QUIET;
  const line = Array.from({ length: size }, (_, index) => index - QUIET);
  const modules = line.map((y) => line.map((x) => qr.get(x, y)));
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
<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${escaped(signIn.qrAlternative({ address: verificationUri }))}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path(modules)}"/></svg></li>
<li>${escaped(signIn.qrEnter)}
<p class="code"><span aria-hidden="true">${escaped(code)}</span><span class="spoken">${escaped(signIn.spelled(code))}</span></p></li>
<li>${escaped(signIn.qrConfirm)}</li>
</ol>
</body>
</html>`;
}

/** The dark modules as a path, a stroke for each row's runs. */
function path(modules: readonly (readonly boolean[])[]): string {
  return modules
    .flatMap((row, y) =>
      row.map((dark, x) => (dark && row[x - 1] !== true ? `M${x} ${y}h${runFrom(row, x)}v1h-${runFrom(row, x)}z` : '')),
    )
    .join('');
}

function runFrom(row: readonly boolean[], start: number): number {
  const end = row.indexOf(false, start);
  return (end === -1 ? row.length : end) - start;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
