import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Seeded } from '../seeded';

/** How long a secret is here. Long enough that none of its halves stands in a text by chance. */
const LENGTH = 28;

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';

/** The characters that secrets are made of, from the tame to those that each encoding writes in its own way. */
const ALPHABETS = {
  code: 'ABCDEFGHJKMNPQRSTVWXYZ23456789',
  hex: `${DIGITS}abcdef`,
  token: `${LETTERS}${DIGITS}-_`,
  header: `${LETTERS}${DIGITS}-._~+/=!"#$%&'()*,:;<>?@[\\]^\`{|}`,
  text: `${LETTERS}${DIGITS} +&%=?#"'\\<>/éßЖ中😀\u00a0`,
} as const;

/** Makes secrets, each one another. */
export class SecretMaker extends Seeded {
  secret(alphabet: keyof typeof ALPHABETS): string {
    const characters = Array.from(ALPHABETS[alphabet]);
    return Array.from({ length: LENGTH }, () => this.pick(characters)).join('');
  }
}

/** Makers of any seed. */
export const makers: fc.Arbitrary<SecretMaker> = fc.noShrink(fc.integer()).map((seed) => new SecretMaker(seed));

/** A way to write a secret, by name. */
type Form = readonly [name: string, text: string];

/** The secret as it is, in halves, and in every form that a URL, a header, a page, a dump or a log could give it. */
function formsOf(secret: string): readonly Form[] {
  const encoded = encodeURIComponent(secret);
  const bytes = Buffer.from(secret);
  const characters = Array.from(secret);
  const middle = Math.ceil(characters.length / 2);
  const turned = (part: readonly string[]): string => [...part].reverse().join('');
  return [
    ['as it is', secret],
    ['its first half', characters.slice(0, middle).join('')],
    ['its second half', characters.slice(middle).join('')],
    ['reversed', turned(characters)],
    ['its first half reversed', turned(characters.slice(0, middle))],
    ['its second half reversed', turned(characters.slice(middle))],
    ['in percent', encoded],
    ['in lower percent', encoded.replace(/%../g, (code) => code.toLowerCase())],
    ['in percent throughout', percent(secret)],
    ['in percent twice', encodeURIComponent(encoded)],
    ['as a form', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['as a URL writes it', new URL(`https://host.example/?${secret.replaceAll('#', '%23')}`).search.slice(1)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON twice', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['inspected', inspect(secret).slice(1, -1)],
    ['in HTML', secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')],
    ['in small letters', secret.toLowerCase()],
    ['in capitals', secret.toUpperCase()],
    ...bytesForms('', bytes),
    ...bytesForms(' of UTF-16', Buffer.from(secret, 'utf16le')),
  ];
}

/** Percent encoding of every character. */
export function percent(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '%$&');
}

/** The bytes as text; base64 also where other bytes stand before and after them. */
function bytesForms(of: string, bytes: Buffer): readonly Form[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    const text = whole.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6));
    return [`in base64${of}, ${offset} bytes in`, text] as const;
  });
  return [
    ...inBase64,
    ...inBase64.map(([name, text]): Form => [`${name}, for URLs`, text.replaceAll('+', '-').replaceAll('/', '_')]),
    [`in hexadecimal${of}`, bytes.toString('hex')],
    [`in capital hexadecimal${of}`, bytes.toString('hex').toUpperCase()],
    [`in spaced hexadecimal${of}`, bytes.toString('hex').replace(/..(?!$)/g, '$& ')],
    [`as numbers${of}`, bytes.join(', ')],
  ];
}

/**
 * Texts are looked at in pieces of this many characters. A form that's at least twice as long holds one of them as a whole,
 * wherever it stands.
 */
const PIECE = 7;

/** What must not be seen, and in which forms. */
export class Secrets {
  /** The forms, by each piece of a text that may be the first whole one in them. */
  readonly #byPiece = new Map<string, Form[]>();

  /** Adds a secret. The name, which tells what it is, goes into the error if it's found. */
  add(name: string, secret: string): string {
    this.#add(name, formsOf(secret));
    return secret;
  }

  /** Adds secret bytes. */
  addBytes(name: string, bytes: Uint8Array): void {
    this.#add(name, bytesForms('', Buffer.from(bytes)));
  }

  /** Which secret stands in the text, and how; `undefined` if none does. */
  findIn(text: string): string | undefined {
    for (let at = 0; at < text.length; at += PIECE) {
      const forms = this.#byPiece.get(text.slice(at, at + PIECE));
      const found = forms?.find(([, written]) => text.includes(written));
      if (found !== undefined) return found[0];
    }
    return undefined;
  }

  #add(secret: string, forms: readonly Form[]): void {
    for (const [how, written] of forms) {
      assert.ok(written.length >= 2 * PIECE);
      for (let before = 0; before < PIECE; before++) {
        const piece = written.slice(before, before + PIECE);
        const known = this.#byPiece.get(piece);
        const form: Form = [`${secret}, ${how}`, written];
        if (known === undefined) this.#byPiece.set(piece, [form]);
        else known.push(form);
      }
    }
  }
}
