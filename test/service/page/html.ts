/** Text that is HTML already and needs no escaping: never from outside. */
export class Html {
  constructor(readonly text: string) {}
}

/** Builds HTML: whatever is put in is escaped, except what `html` built itself. Works for text and quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const text = parts.map((part, index) => {
    const value = values[index];
    if (value === undefined) return part;
    return part + (typeof value === 'string' ? escape(value) : value.text);
  });
  return new Html(text.join(''));
}

/** HTML of nothing. */
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
