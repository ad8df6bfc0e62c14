/** Something odd, and how it is called. */
type Oddity = readonly [name: string, value: unknown];

const LONG = 'x'.repeat(1_000_000);

function circular(): object {
  const ring: { ring?: object } = {};
  ring.ring = ring;
  return ring;
}

/** What scopes should not be. */
export function oddScopes(): readonly Oddity[] {
  return [
    ['undefined', undefined],
    ['null', null],
    ['a text', 'odd'],
    ['a number', 42],
    ['an object', {}],
    ['none', []],
    ['an empty one', ['']],
    ['undefined within', [undefined]],
    ['null within', [null]],
    ['numbers within', [1, 2]],
    ['objects within', [{}, { toString: null }]],
    ['a ring within', [circular()]],
    ['a symbol within', [Symbol('odd')]],
    ['twice the same', ['odd', 'odd']],
    ['a huge one', [LONG]],
    ['thousands', Array.from({ length: 10_000 }, (_, index) => `odd-${index}`)],
    ['separators', ['a b', 'a,b', '\n', '\u0000', '\ud800', '__proto__', 'constructor']],
    ['a challenge', { wwwAuthenticate: 'Bearer scope="odd", error="insufficient_claims"', fallbackScopes: ['odd'] }],
  ];
}

/** What options should not be. None of these asks the person. */
export function oddOptions(): readonly Oddity[] {
  const silent = true;
  return [
    ['undefined', undefined],
    ['null', null],
    ['a text', 'silent'],
    ['silent as a text', { silent: 'yes' }],
    ['silent, and a foreign account', { silent, account: { id: 'foreign', label: 'Foreign' } }],
    ['silent, and an account without anything', { silent, account: {} }],
    ['silent, and null for an account', { silent, account: null }],
    ['silent, and a number for an account', { silent, account: 7 }],
    ['silent, and an account with a huge ID', { silent, account: { id: LONG, label: LONG } }],
    ['silent, and an account with an object for its ID', { silent, account: { id: {}, label: [] } }],
    ['silent, and to create', { silent, createIfNone: true }],
    ['silent, and to force', { silent, forceNewSession: true }],
    ['to create and to force', { createIfNone: true, forceNewSession: true }],
    ['silent, and an odd preference', { silent, clearSessionPreference: 'odd' }],
    ['silent, and a ring', { silent, odd: circular() }],
    ['silent, and a function', { silent, odd: () => 'odd' }],
  ];
}

/** What commands are not made for. */
export function oddArguments(): readonly Oddity[] {
  return [
    ['nothing', undefined],
    ['null', null],
    ['an object', { toString: null }],
    ['a ring', circular()],
    ['a function', () => 'odd'],
    ['a huge text', LONG],
    ['bytes', new Uint8Array(1_000_000)],
  ];
}
