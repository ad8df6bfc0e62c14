import type { RecoveryCopy } from './record';
import type { VaultContents } from './vaultFormat';

/** Turns what the vault holds into what it holds next. Gives back the same object where nothing changes. */
export type VaultChange = (vault: VaultContents) => VaultContents;

/**
 * What could not be read is kept this long for whoever wants to look, and no longer: it may hold secrets. As long as
 * refresh tokens live (specification 8). Milliseconds.
 */
const DAMAGE_KEPT = 30 * 24 * 60 * 60 * 1000;

/** Keeps a client secret. */
export function withClientSecret(serviceKey: string, secret: string): VaultChange {
  return (vault) => ({ ...vault, clientSecrets: { ...vault.clientSecrets, [serviceKey]: secret } });
}

/** Keeps the recovery copy of a session, unless a later one is there. */
export function withRecovery(sessionId: string, copy: RecoveryCopy): VaultChange {
  return (vault) =>
    (vault.sessions[sessionId]?.generation ?? -1) > copy.generation
      ? vault
      : { ...vault, sessions: { ...vault.sessions, [sessionId]: copy } };
}

/** Forgets the recovery copies of these sessions. */
export function withoutRecovery(isOver: (sessionId: string) => boolean): VaultChange {
  return (vault) => {
    const all = Object.entries(vault.sessions);
    const kept = all.filter(([id]) => !isOver(id));
    return kept.length === all.length ? vault : { ...vault, sessions: Object.fromEntries(kept) };
  };
}

/**
 * Forgets what could not be read and has been kept long enough.
 * @param now wall-clock milliseconds
 */
export function withoutOldDamage(now: number): VaultChange {
  return (vault) =>
    vault.damaged === undefined || now - (vault.damagedAt ?? 0) <= DAMAGE_KEPT
      ? vault
      : { ...vault, damaged: undefined, damagedAt: undefined };
}
