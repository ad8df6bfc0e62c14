import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  nameProblem,
  plainText,
  shownAddress,
  shownEndpoint,
  withoutService,
} from '../../../../src/vscode/texts/plainText';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';

const anything = fc.string({ unit: 'binary', maxLength: 200 });

/** Pieces of which attacks are made, in any order. */
const PIECES = [
  ...'[ ] ( ) ]( $( $ command:x https://a a'.split(' '),
  '\u202e',
  '\u200b',
  '\u3164',
  '\u2800',
  '\n',
  ' ',
  '\u0301',
  '\ufeff',
  '\u2028',
];
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));

/** Guards that texts from outside can't make links, icons, or lines, and that honest ones stay as they are. */
describe('text from outside, made plain', () => {
  it('holds no link, no icon, no line break and nothing invisible, is not too long, and stays as it is from then on', () => {
    fc.assert(
      fc.property(fc.oneof(anything, hostile), (text) => {
        const plain = plainText(text);
        assert.ok(!plain.includes(']('), 'a link');
        assert.ok(!plain.includes('$('), 'an icon');
        assert.doesNotMatch(plain, /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u);
        assert.doesNotMatch(plain, /\p{M}{4}/u);
        assert.ok(Array.from(plain).length <= 64);
        assert.equal(plainText(plain), plain);
      }),
      { numRuns: 4_000 },
    );
  });

  for (const name of ['Ada Lovelace', 'Zoë', '山田太郎', 'ada@example.com', "O'Neil (work) [2]", 'Ada 🦊']) {
    it(`leaves an honest name alone: ${name}`, () => {
      assert.equal(plainText(name), name);
      assert.equal(nameProblem(name), undefined);
    });
  }
});

describe('a name that somebody enters', () => {
  const refused: readonly [string, string][] = [
    ['', 'empty'],
    ['  \t ', 'empty'],
    ['x'.repeat(65), 'too long'],
    ['[Ada](command:workbench.action.quit)', 'forbidden characters'],
    ['$(verified) Ada', 'forbidden characters'],
    ['Ada\u202e', 'forbidden characters'],
    ['A\u200bda', 'forbidden characters'],
    ['Ada\u3164', 'forbidden characters'],
    ['Ada\u2800', 'forbidden characters'],
    ['Ada\nLovelace', 'forbidden characters'],
  ];
  for (const [name, problem] of refused) {
    it(`is refused: ${problem}: ${JSON.stringify(name.slice(0, 40))}`, () => {
      assert.equal(nameProblem(name), problem);
    });
  }
});

describe('an address in a message', () => {
  it('keeps all characters but brackets, with which it could write a link', () => {
    assert.equal(shownAddress('https://[::1]:80/d?a=%2B'), 'https://[::1]:80/d?a=%2B');
    assert.equal(shownAddress('https://a.example/[x](command:y)'), 'https://a.example/[x]%28command:y%29');
  });

  it('is shortened if it is long', () => {
    assert.equal(shownAddress(`https://a.example/${'x'.repeat(500)}`).length, 120);
  });

  for (const end of ['/', '?', '#']) {
    it(`is never shortened within its host, which is all before ${end}`, () => {
      const origin = `https://service.example.${'x.'.repeat(100)}evil.example:8443${end}`;
      assert.equal(shownAddress(origin), origin);
      assert.equal(shownAddress(`${origin}path/and/more`), `${origin}…`);
    });
  }
});

/** Guards that an endpoint's address can be compared with a setting, and shows no token. */
describe('a shown endpoint', () => {
  for (const [address, shown] of [
    ['https://login.example/oauth2/v2.0/device_code', 'https://login.example/oauth2/v2.0/device_code'],
    ['https://login.example/%35%61%39/token', 'https://login.example/…/token'],
    [`https://login.example/${'5a9f'.repeat(8)}`, 'https://login.example/…'],
    ['https://login.example/[x](command:y)', 'https://login.example/…'],
  ] as const) {
    it(`of ${address} is ${shown}`, () => {
      assert.equal(shownEndpoint(address), shown);
    });
  }
});

describe('an account’s label with its service', () => {
  for (const [label, service, without] of [
    ['ada · GitLab', 'GitLab', 'ada'],
    ['ada · GitLab (2)', 'GitLab', 'ada (2)'],
    ['ada · GitLab (2)', 'GitLab (2)', 'ada'],
    ['ada · GitLab · Acme', 'Acme', 'ada · GitLab'],
    ['ada · GitLab', 'Git', 'ada · GitLab'],
    ['ada · Acme', 'GitLab', 'ada · Acme'],
    ['ada (GitLab)', 'GitLab', 'ada (GitLab)'],
    ['GitLab', 'GitLab', 'GitLab'],
  ] as const) {
    it(`${label} is ${without} without ${service}`, () => {
      assert.equal(withoutService(label, service), without);
    });
  }

  for (const [label, service, called] of [
    ['ada', 'GitLab', 'ada (GitLab)'],
    ['ada · GitLab', 'GitLab', 'ada (GitLab)'],
    ['ada · GitLab (2)', 'GitLab', 'ada (2) (GitLab)'],
    ['My account', 'GitLab', 'My account (GitLab)'],
    ['GitLab', 'GitLab', 'GitLab'],
    ['GitLab (2)', 'GitLab', 'GitLab (2)'],
    [undefined, 'GitLab', 'GitLab'],
  ] as const) {
    it(`of ${label ?? 'nobody'} is called ${called} in a sentence`, () => {
      assert.equal(createTexts(english, 'en').sessions.accountAt(label, service), called);
    });
  }
});
