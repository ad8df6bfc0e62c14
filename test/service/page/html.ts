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
