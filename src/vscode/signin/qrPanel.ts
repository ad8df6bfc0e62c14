import { isThisMachine } from '../../oauth/address';
import type { Editor, Page } from '../editor/editor';
import { type QrModules, qrPage, qrTitle } from './qrPage';
import type { SignInParts } from './signInParts';
import type { SignInTopic } from './signInWords';

/** What the panel works with. */
export type QrPanelParts = Pick<SignInParts, 'l10n' | 'language'> & { readonly editor: Pick<Editor, 'page'> };

/** Whether a phone can open the verification page: not where it is on this machine. */
export function opensOnPhone(verificationUri: string): boolean {
  return !isThisMachine(new URL(verificationUri));
}

/** The page with the QR code of one sign-in, while it is open. */
export class QrPanel {
  #page: Page | undefined;
  #over = false;

  constructor(
    private readonly parts: QrPanelParts,
    private readonly topic: SignInTopic,
  ) {}

  /** Opens the page, or brings it to the front. */
  async show(): Promise<void> {
    const { editor, l10n, language } = this.parts;
    const modules = await encode(this.topic.verificationUri);
    if (this.#over) {
      return;
    }
    this.#page?.close();
    this.#page = editor.page(qrTitle(l10n, this.topic.service), (nonce) =>
      qrPage(l10n, { topic: this.topic, modules, language, nonce }),
    );
  }

  /** The sign-in is over: the page closes. Idempotent. */
  end(): void {
    this.#over = true;
    this.#page?.close();
  }
}

/** The encoder is loaded when it is first needed: most people never do. */
async function encode(text: string): Promise<QrModules> {
  const { encode } = await import('./qrEncoder.js');
  // Cameras want four modules of quiet around the code; a quarter of it may be dirt, glare or a bad screen.
  return encode(text, { ecc: 'M', border: 4 }).data;
}
