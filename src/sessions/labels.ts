import { asObject } from '../fields';
import type { SessionRecord } from '../storage/record';
import { type FoundRow, mayReplace, type Sealing } from '../storage/sealing';
import { foldedLabel } from './sameLabel';
import type { SessionsTransaction } from './storedSessions';

/** Whose label it is: an account's, and its user's if the service identifies them. */
type LabelOwner = Pick<SessionRecord, 'account' | 'service' | 'user'>;

/**
 * Which labels accounts have, and which ones they had: VS Code remembers by the label which extensions may use an account, so a
 * label is never given to an account of another service, even after a sign-out, nor that of a user whom the service identifies to
 * another user. A label is found and given in one transaction, so that two windows can't give the same.
 */
export class Labels {
  constructor(private readonly sealing: Sealing) {}

  /**
   * The label that the account had before, if that's one of these and free, or else the first one, with a number after it if another
   * account has it, or had it for a different user.
   * @param others what the account may have been called instead
   */
  free(sessions: SessionsTransaction, label: string, owner: LabelOwner, others: readonly string[] = []): string {
    const { taken, own } = this.#takenAndOwn(sessions, owner);
    const isFree = (one: string): boolean => !taken.includes(foldedLabel(one));
    const before = [label, ...others].find((one) => own.includes(foldedLabel(one)) && isFree(one));
    return before ?? withNumber(label, isFree);
  }

  /** Remembers whose label this is, unless a newer version of the extension keeps that. */
  remember({ rows }: SessionsTransaction, label: string, owner: LabelOwner): void {
    const row = this.sealing.read(rows, this.#name);
    const labels = this.#labelsIn(row);
    const before = labels.get(foldedLabel(label));
    // If the service doesn't say this time whose account it is, it stays the user's.
    const id = userId(owner) ?? before ?? serviceId(owner);
    if (mayReplace(row) && before !== id) {
      const contents = { labels: Object.fromEntries(labels.set(foldedLabel(label), id)) };
      rows.put(this.#name, this.sealing.seal(this.#name, {}, contents));
    }
  }

  /** The labels that others have or had, and those that this owner had. */
  #takenAndOwn(sessions: SessionsTransaction, owner: LabelOwner): Readonly<Record<'taken' | 'own', readonly string[]>> {
    const records = sessions.entries().map(({ record }) => record);
    const ofOthers = records.filter(({ account, listed }) => account.id !== owner.account.id && listed);
    const taken = ofOthers.map(({ account }) => foldedLabel(account.label));
    // The service may have identified the user in one session of the account, and not in another.
    const ofAccount = records.filter(({ account }) => account.id === owner.account.id);
    const userIds = [owner, ...ofAccount].map(userId).filter((id) => id !== undefined);
    const ownIds: readonly unknown[] = [serviceId(owner), ...userIds];
    const own: string[] = [];
    for (const [label, id] of this.#labelsIn(this.sealing.read(sessions.rows, this.#name))) {
      if (ownIds.includes(id)) {
        own.push(label);
      } else {
        taken.push(label);
      }
    }
    return { taken, own };
  }

  /** Whose labels are remembered. Any name is a label, so it's a map: an object has `constructor`, for example. */
  #labelsIn(row: FoundRow): Map<string, unknown> {
    return new Map(Object.entries((row.kind === 'open' ? asObject(row.contents['labels']) : undefined) ?? {}));
  }

  /** Each store key has its own row: if the keyring was reset, nobody can read or replace that of the last one. */
  get #name(): string {
    return `labels/${this.sealing.key.id}`;
  }
}

/** The label, with the first number after it that makes it free if it isn't. */
function withNumber(label: string, isFree: (label: string) => boolean): string {
  let candidate = label;
  for (let number = 2; !isFree(candidate); number++) {
    candidate = `${label} (${number})`;
  }
  return candidate;
}

/** Identifies a user of a service; `undefined` if the service doesn't. */
function userId({ service, user }: LabelOwner): string | undefined {
  return user?.id === undefined ? undefined : JSON.stringify([service.baseUrl, user.id]);
}

/** Stands for all users whom the service doesn't identify. */
function serviceId({ service }: LabelOwner): string {
  return JSON.stringify([service.baseUrl]);
}
