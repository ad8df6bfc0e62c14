import { asObject, type Fields } from '../fields';
import { bestEffort } from '../log';
import type { SessionRecord } from '../storage/record';
import { isOthers } from '../storage/sealedFiles';
import type { SessionsContext } from './context';

/** Accounts are named under one lock, so that two windows can't give the same name. */
export const ACCOUNTS_LOCK = 'accounts';

/** Whose label it is: an account's, and its user's if the service identifies them. */
type LabelOwner = Pick<SessionRecord, 'account' | 'service' | 'user'>;

/**
 * The label, with a number after it if another account has it, or had it for a different user. Call this while holding the
 * lock of accounts, or two windows may find the same label free. VS Code remembers by the label which extensions may use an
 * account, so the label of a user whom the service identifies is never given to another one, even after a sign-out.
 */
export async function freeLabel(context: SessionsContext, label: string, owner: LabelOwner): Promise<string> {
  const taken = await takenLabels(context, owner);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? label : `${label} (${number})`;
    if (!taken.includes(folded(candidate))) {
      return candidate;
    }
  }
}

/** Remembers whose label this is. Best effort: a failure costs no more than a label that's given twice. */
export async function rememberLabel(context: SessionsContext, label: string, owner: LabelOwner): Promise<void> {
  const id = ownerId(owner);
  if (id === undefined) {
    return;
  }
  await bestEffort(context.log, 'warn', "The user's label can't be remembered", async () => {
    const labels = await readLabels(context);
    if (labels === undefined) {
      context.log.info("The user's label isn't remembered: the file of labels belongs to a newer version.");
    } else if (labels[folded(label)] !== id) {
      await context.files.write(fileOf(context), {}, { labels: { ...labels, [folded(label)]: id } });
    }
  });
}

async function takenLabels(context: SessionsContext, owner: LabelOwner): Promise<readonly string[]> {
  const others = context.cache
    .entries()
    .filter(({ record: { account, listed } }) => account.id !== owner.account.id && listed);
  const failure = "The labels of earlier accounts can't be read";
  const labels = (await bestEffort(context.log, 'warn', failure, () => readLabels(context))) ?? {};
  const earlier = Object.keys(labels).filter((label) => labels[label] !== ownerId(owner));
  return [...others.map(({ record }) => folded(record.account.label)), ...earlier];
}

/** Whose labels are remembered; `undefined` if the file isn't ours to read or replace. */
async function readLabels(context: SessionsContext): Promise<Fields | undefined> {
  const file = await context.files.read(fileOf(context));
  if (isOthers(file)) {
    return undefined;
  }
  return (file?.kind === 'open' ? asObject(file.contents['labels']) : undefined) ?? {};
}

/** Each store has its own file: if the keyring was reset, nobody can read or replace that of the last one. */
function fileOf({ files }: Pick<SessionsContext, 'files'>): string {
  return `accounts/labels-${files.key.id}.json`;
}

/** A label as people see it: two that look the same are the same. */
function folded(label: string): string {
  return label.normalize('NFKC').toLowerCase().trim();
}

/** Identifies a user of a service; `undefined` if the service doesn't. */
function ownerId({ service, user }: LabelOwner): string | undefined {
  return user?.id === undefined ? undefined : JSON.stringify([service.baseUrl, user.id]);
}
