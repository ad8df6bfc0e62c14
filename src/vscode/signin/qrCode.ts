import { encode } from 'uqr';
import { isThisMachine } from '../../oauth/address';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';

/** Whether a phone can open the verification page: not if it is on this machine. */
export function opensOnPhone(verificationUri: string): boolean {
  return !isThisMachine(new URL(verificationUri));
}

/**
 * The page that brings the verification address to a phone. It runs no script and loads nothing. The QR code is black on
 * white in every theme, because cameras want it so.
 * @param nonce the only style that may take effect has this mark
 */
export function qrPage({ language, signIn }: Texts, details: CodeDetails, nonce: string): string {
  const { service, userCode, verificationUri } = details;
  // Cameras want four modules of quiet around the code; a quarter of it may be dirt, glare or a bad screen.
  const modules = encode(verificationUri, { ecc: 'M', border: 4 }).data;
  const size = modules.length;
  const title = escaped(signIn.qrTitle(service));
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
<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${escaped(signIn.qrAlternative(verificationUri))}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path(modules)}"/></svg></li>
<li>${escaped(signIn.qrEnter)}
<p class="code"><span aria-hidden="true">${escaped(userCode)}</span><span class="spoken">${escaped(signIn.spelled(userCode))}</span></p></li>
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
