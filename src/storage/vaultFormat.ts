import { KEY_BYTES, vaultKey, type VaultKey } from './cipher';
import type { RecoveryCopy } from './record';
import { toRecoveryCopy } from './recordShape';
import { asNumber, asObject, asText, parseObject } from './fields';

const FORMAT = 1;
/** A damaged entry is kept inside its successor for a while, up to this length. */
const KEPT_DAMAGE = 16 * 1024;

/** What the entry of SecretStorage holds. */
export interface VaultContents {
  readonly key: VaultKey;
  /** Client secrets, by `serviceKey`. */
  readonly clientSecrets: Readonly<Record<string, string>>;
  /** Recovery copies, by session ID. */
  readonly sessions: Readonly<Record<string, RecoveryCopy>>;
  /** What stood here before and could not be read. */
  readonly damaged: string | undefined;
  /** When that was found. Wall-clock milliseconds. */
  readonly damagedAt: number | undefined;
}

/**
 * A vault with a new key.
 * @param unreadable what stood in its place
 * @param now wall-clock milliseconds
 */
export function newVault(keyBytes: Uint8Array, unreadable: string | undefined, now: number): VaultContents {
  return {
    key: vaultKey(keyBytes),
    clientSecrets: {},
    sessions: {},
    damaged: unreadable?.slice(0, KEPT_DAMAGE),
    damagedAt: unreadable === undefined ? undefined : now,
  };
}

/** The text of the entry. */
export function encodeVault(vault: VaultContents): string {
  const { key, ...rest } = vault;
  return JSON.stringify({ format: FORMAT, key: key.secret.export().toString('base64'), ...rest });
}

/** Reads what `encodeVault` wrote; `undefined` where the key can't be read. Other parts are kept as far as they can. */
export function decodeVault(text: string): VaultContents | undefined {
  const fields = parseObject(text);
  const key = Buffer.from(asText(fields?.['key']) ?? '', 'base64');
  if (fields?.['format'] !== FORMAT || key.length !== KEY_BYTES) {
    return undefined;
  }
  return {
    key: vaultKey(key),
    clientSecrets: collect(fields['clientSecrets'], asText),
    sessions: collect(fields['sessions'], (value) => toRecoveryCopy(asObject(value))),
    damaged: asText(fields['damaged']),
    damagedAt: asNumber(fields['damagedAt']),
  };
}

function collect<T>(value: unknown, read: (value: unknown) => T | undefined): Record<string, T> {
  const entries = Object.entries(asObject(value) ?? {}).flatMap(([name, one]) => {
    const found = read(one);
    return found === undefined ? [] : [[name, found] as const];
  });
  return Object.fromEntries(entries);
}
