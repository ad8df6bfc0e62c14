import { seal, unseal, type Random, type VaultKey } from './cipher';
import { toRecord } from './recordShape';
import type { EndReason, JournalEntry, SendState } from './record';
import { asNumber, asOneOf, asText, parseObject } from './fields';

/**
 * Version of the files' format. A file with a higher one is left to the newer extension that wrote it. Whatever a later
 * format changes, its files must show by header and seal, as these do, that they are sound.
 */
const FORMAT = 1;

const SEND_STATES: readonly SendState[] = ['stable', 'sending', 'unanswered'];
const END_REASONS: readonly EndReason[] = ['signed out', 'refused', 'answer lost'];

/** What a journal file turned out to be. */
export type Decoded =
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  /** A newer extension's, of this store: not ours to touch. */
  | { readonly kind: 'newer' }
  /** Of another store, as far as the file itself says: not ours to touch, unless the session is known to be ours. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' };

/** The bytes of a journal file: a header that anyone can read and nobody can change, and the encrypted record. */
export function encodeEntry(entry: JournalEntry, key: VaultKey, random: Random): Uint8Array {
  const { record, ...header } = entry;
  const clear = JSON.stringify({ format: FORMAT, ...header });
  return Buffer.from(JSON.stringify({ header: clear, record: seal(key, random, clear, JSON.stringify(record)) }));
}

/** Reads what `encodeEntry` wrote, for the session that the file is named after. */
export function decodeEntry(bytes: Uint8Array, sessionId: string, key: VaultKey): Decoded {
  const file = parseObject(Buffer.from(bytes).toString('utf8'));
  const clear = asText(file?.['header']);
  const sealed = asText(file?.['record']);
  const header = clear === undefined ? undefined : parseObject(clear);
  if (clear === undefined || sealed === undefined || header === undefined) {
    return { kind: 'damaged' };
  }
  const keyId = asText(header['keyId']);
  const text = unseal(key, clear, sealed);
  if (text === undefined) {
    return { kind: keyId === undefined || keyId === key.id ? 'damaged' : 'foreign' };
  }
  if ((asNumber(header['format']) ?? FORMAT) > FORMAT) {
    return { kind: 'newer' };
  }
  const record = toRecord(parseObject(text));
  const generation = asNumber(header['generation']);
  const revision = asNumber(header['revision']);
  const state = asOneOf(header['state'], SEND_STATES);
  const time = asNumber(header['time']);
  if (
    record === undefined ||
    keyId === undefined ||
    generation === undefined ||
    revision === undefined ||
    state === undefined ||
    time === undefined ||
    header['sessionId'] !== sessionId
  ) {
    return { kind: 'damaged' };
  }
  return { kind: 'entry', entry: { sessionId, keyId, generation, revision, state, time, record } };
}

/** The bytes of a tombstone. That the file is there says that the session is over; its contents say why. */
export function encodeEnd(
  sessionId: string,
  reason: EndReason,
  key: VaultKey,
  random: Random,
  time: number,
): Uint8Array {
  const clear = JSON.stringify({ format: FORMAT, sessionId, keyId: key.id, reason, time });
  return Buffer.from(JSON.stringify({ header: clear, record: seal(key, random, clear, '') }));
}

/** Why the session is over, as far as the tombstone can be read; otherwise as if the person had signed out. */
export function decodeEnd(bytes: Uint8Array): EndReason {
  const clear = asText(parseObject(Buffer.from(bytes).toString('utf8'))?.['header']);
  const header = clear === undefined ? undefined : parseObject(clear);
  return asOneOf(header?.['reason'], END_REASONS) ?? 'signed out';
}
