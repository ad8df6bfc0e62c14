import { createHash } from 'node:crypto';

/** Text that is already HTML and isn't escaped again: never from outside. */
export class Html {
  constructor(readonly text: string) {}
}

/** Builds HTML and escapes all values, except those that are HTML already. For text and quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const text = parts.map((part, index) => {
    const value = values[index];
    if (value === undefined) return part;
    return part + (typeof value === 'string' ? escape(value) : value.text);
  });
  return new Html(text.join(''));
}

/** Empty HTML. */
export const nothing = new Html('');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const style = `
:root {
  color-scheme: light dark;
  --page: #f3f4f6; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #8c959f;
  --accent: #0b5cad; --on-accent: #ffffff; --bad: #a40e26; --bad-page: #fff0f0; --good: #116329; --focus: #0b5cad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1e2329; --text: #e8ebef; --soft: #a9b2bc; --line: #6e7781;
    --accent: #7ab7ff; --on-accent: #0a1a2b; --bad: #ff9ba4; --bad-page: #3a1d21; --good: #7ee2a0; --focus: #9ecbff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: 2rem; background: var(--card);
  border: 1px solid transparent; border-radius: 0.75rem; box-shadow: 0 1px 4px rgb(0 0 0 / 0.2);
}
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
form { margin: 0; }
label { display: block; font-weight: 600; margin-bottom: 0.25rem; }
.hint { color: var(--soft); font-size: 0.875rem; margin: 0.5rem 0 1.25rem; }
input[type="text"] {
  width: 100%; padding: 0.6rem 0.75rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: 0.4rem;
}
input.code, .code { font-family: ui-monospace, monospace; letter-spacing: 0.12em; }
input.code { font-size: 1.5rem; text-align: center; text-transform: uppercase; }
input[aria-invalid="true"] { border: 2px solid var(--bad); }
p.code { font-size: 1.75rem; text-align: center; }
.buttons { display: flex; gap: 0.75rem; }
button {
  flex: 1; padding: 0.65rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--accent); background: transparent; border: 1px solid var(--accent); border-radius: 0.4rem;
}
button.main { background: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.alert { padding: 0.75rem 1rem; border-left: 4px solid var(--bad); background: var(--bad-page); color: var(--bad); }
.done h1 { color: var(--good); }
`;

/** A pasted code is whole, so nobody has to press Continue. */
const script = `
const field = document.getElementById('user_code');
field.addEventListener('paste', () => setTimeout(() => field.form.requestSubmit()));
`;

const styleElement = new Html(`<style>${style}</style>`);

/** The script of the page that asks for a code, after its form. */
export const continueAfterPaste = new Html(`<script>${script}</script>`);

/** Headers of every page: no other scripts, no frames, foreign content, or caching, and no code in a referrer. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** A source in a content security policy: this text, and no other. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A complete page. Its title says what has changed, because screen readers read that first. */
export function pageDocument(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        ${content}
      </body>
    </html> `.text;
}
