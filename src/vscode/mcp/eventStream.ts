/** An event of a stream of server-sent events. */
interface StreamEvent {
  /** `undefined` for an ordinary message, and for a comment. */
  readonly type: string | undefined;
  readonly data: string;
  /** The event as it's sent on: with its fields alone, so that nobody reads anything else in it. */
  readonly text: string;
}

/** The fields of an event; others mean nothing. */
const FIELDS: readonly string[] = ['event', 'data', 'id', 'retry'];

/** Reads a stream of server-sent events. Yields each event when it's complete, and each comment, which keeps connections alive. */
export async function* readEvents(
  stream: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<StreamEvent, void, undefined> {
  let fields: (readonly [name: string, value: string])[] = [];
  for await (const line of readLines(stream)) {
    if (line.startsWith(':')) {
      yield { type: undefined, data: '', text: ':\n' };
    } else if (line !== '') {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      fields.push([name, value]);
    } else {
      const known = fields.filter(([name]) => FIELDS.includes(name));
      fields = [];
      if (known.length > 0) {
        yield toEvent(known);
      }
    }
  }
}

function toEvent(fields: readonly (readonly [name: string, value: string])[]): StreamEvent {
  const valuesOf = (wanted: string): readonly string[] =>
    fields.filter(([name]) => name === wanted).map(([, value]) => value);
  return {
    type: valuesOf('event').at(-1),
    data: valuesOf('data').join('\n'),
    text: `${fields.map(([name, value]) => `${name}: ${value}\n`).join('')}\n`,
  };
}

/** The lines of a text, each when it's complete. They end in a line feed, a carriage return, or both. */
async function* readLines(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let begun = '';
  let endedInReturn = false;
  for await (const chunk of stream) {
    let text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (endedInReturn && text.startsWith('\n')) {
      text = text.slice(1);
    }
    endedInReturn = text.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\r|\n/);
    const lines = [begun + first, ...others];
    begun = lines.pop() ?? '';
    yield* lines;
  }
}
