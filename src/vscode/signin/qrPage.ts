import type { Bitmap2D } from 'lean-qr/nano';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';

/** Cameras need four empty modules around a QR code. */
const QUIET = 4;

/** Makes the page that brings the verification address to a phone, which gets the mark of the only style that takes effect. */
export async function createQrPage(texts: Texts, details: CodeDetails): Promise<(nonce: string) => string> {
  // Loaded when somebody wants a QR code: it makes tables while it loads, which every window would wait for at its start.
  const { correction, generate } = await import('lean-qr/nano');
  // Up to 15 percent of it may be unreadable.
  const qrCode = generate(details.page, { minCorrectionLevel: correction.M });
  return (nonce) => qrPage(texts, details, qrCode, nonce);
}

/** The page runs no scripts and loads nothing. The QR code is black on white in every theme, because cameras need that. */
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
