import { asObject, type Fields } from '../fields';
import { bestEffort, type Log } from '../log';
import type { SessionRecord } from '../storage/record';
import { isOthers, type SealedFiles } from '../storage/sealedFiles';
import type { SessionCache } from './cache';
import { foldedLabel } from './sameLabel';

/** Accounts are named under one lock, so that two windows can't give the same name. */
export const ACCOUNTS_LOCK = 'accounts';

/** Whose label it is: an account's, and its user's if the service identifies them. */
type LabelOwner = Pick<SessionRecord, 'account' | 'service' | 'user'>;

/**
 * Which labels accounts have, and which ones users had: VS Code remembers by the label which extensions may use an account, so
 * the label of a user whom the service identifies is never given to another one, even after a sign-out.
 */
export class Labels {
  constructor(
    private readonly cache: SessionCache,
    private readonly files: SealedFiles,
    private readonly log: Log,
  ) {}

  /**
   * The label, with a number after it if another account has it, or had it for a different user. Call this while holding the
   * lock of accounts, or two windows may find the same label free.
   * @param others what the account may have been called instead: the one that it had before is kept
   */
  async free(label: string, owner: LabelOwner, others: readonly string[] = []): Promise<string> {
    const { taken, own } = await this.#given(owner);
    const before = [label, ...others].find((one) => own.includes(foldedLabel(one)));
    if (before !== undefined && !taken.includes(foldedLabel(before))) {
      return before;
    }
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? label : `${label} (${number})`;
      if (!taken.includes(foldedLabel(candidate))) {
        return candidate;
      }
    }
  }

  /** Remembers whose label this is. Best effort: a failure costs no more than a label that's given twice. */
  async remember(label: string, owner: LabelOwner): Promise<void> {
    const id = ownerId(owner);
    if (id === undefined) {
      return;
    }
    await bestEffort(this.log, 'warn', "The user's label can't be remembered", async () => {
      const labels = await this.#read();
      if (labels === undefined) {
        this.log.info("The user's label isn't remembered: the file of labels belongs to a newer version.");
      } else if (labels[foldedLabel(label)] !== id) {
        await this.files.write(this.#name, {}, { labels: { ...labels, [foldedLabel(label)]: id } });
      }
    });
  }

  /** The labels that others have or had, and those that this owner had. */
  async #given(owner: LabelOwner): Promise<Readonly<Record<'taken' | 'own', readonly string[]>>> {
    const known = this.cache.entries().map(({ record }) => record);
    const others = known.filter(({ account, listed }) => account.id !== owner.account.id && listed);
    // The service may have identified the user in one session of the account, and not in another.
    const own = known.filter(({ account }) => account.id === owner.account.id);
    const ownIds = [owner, ...own].map(ownerId);
    const failure = "The labels of earlier accounts can't be read";
    const labels = (await bestEffort(this.log, 'warn', failure, () => this.#read())) ?? {};
    const isOwn = (label: string): boolean => ownIds.some((id) => id !== undefined && id === labels[label]);
    const earlier = Object.keys(labels).filter((label) => !isOwn(label));
    return {
      taken: [...others.map(({ account }) => foldedLabel(account.label)), ...earlier],
      own: Object.keys(labels).filter(isOwn),
    };
  }

  /** Whose labels are remembered; `undefined` if the file isn't ours to read or replace. */
  async #read(): Promise<Fields | undefined> {
    const file = await this.files.read(this.#name);
    if (isOthers(file)) {
      return undefined;
    }
    return (file?.kind === 'open' ? asObject(file.contents['labels']) : undefined) ?? {};
  }

  /** Each store has its own file: if the keyring was reset, nobody can read or replace that of the last one. */
  get #name(): string {
    return `accounts/labels-${this.files.key.id}.json`;
  }
}

/** Identifies a user of a service; `undefined` if the service doesn't. */
function ownerId({ service, user }: LabelOwner): string | undefined {
  return user?.id === undefined ? undefined : JSON.stringify([service.baseUrl, user.id]);
}
