import type { l10n } from 'vscode';
import { spelled } from './signInWords';
import type { SignInTopic } from './signInWords';

type L10n = Pick<typeof l10n, 't'>;

/** A QR code's modules, dark where true, with the quiet zone around them. */
export type QrModules = readonly (readonly boolean[])[];

/** What the page needs to know. */
export interface QrPageSubject {
  readonly topic: SignInTopic;
  /** The QR code of the verification address. */
  readonly modules: QrModules;
  /** Language of the texts, such as `en`. */
  readonly language: string;
  /** The only style that may take effect has this mark. */
  readonly nonce: string;
}

/** The title of the page with the QR code. */
export function qrTitle(l10n: L10n, service: string): string {
  return l10n.t({
    message: 'Sign in to {0} with a phone',
    args: [service],
    comment: ['{0} is the name of the service'],
  });
}

/**
 * The page that brings the verification address to a phone. It runs no script and loads nothing. The QR code is black
 * on white in every theme, since cameras want it so.
 */
export function qrPage(l10n: L10n, { topic, modules, language, nonce }: QrPageSubject): string {
  const { service, userCode, verificationUri } = topic;
  const scan = l10n.t('Point the phone’s camera at the picture, or open this address on any device:');
  const enter = l10n.t('Enter this code there:');
  const confirm = l10n.t('Confirm. The editor goes on by itself within a few seconds; this page then closes.');
  const alternative = l10n.t({
    message: 'QR code of the address {0}',
    args: [verificationUri],
    comment: ['Says what a picture shows', '{0} is the address of a web page'],
  });
  const size = modules.length;
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${escaped(qrTitle(l10n, service))}</title>
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
<h1>${escaped(qrTitle(l10n, service))}</h1>
<ol>
<li>${escaped(scan)} <span class="address">${escaped(verificationUri)}</span>
<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${escaped(alternative)}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path(modules)}"/></svg></li>
<li>${escaped(enter)}
<p class="code"><span aria-hidden="true">${escaped(userCode)}</span><span class="spoken">${escaped(spelled(l10n, userCode))}</span></p></li>
<li>${escaped(confirm)}</li>
</ol>
</body>
</html>`;
}

/** The dark modules as a path, a stroke for each row's runs. */
function path(modules: QrModules): string {
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
