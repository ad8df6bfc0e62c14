import type { Notice } from '../../sessions/notices';
import type { StoreProblem } from '../../storage/openStore';
import type { MessageKind } from '../editor/editor';
import { plainText, shownAddress } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { type AccountsDependencies, refreshNow } from './actions';

/** How a person is told. */
interface Message {
  readonly severity: MessageKind;
  readonly text: string;
  /** What the buttons do, by their texts. */
  readonly buttons: Readonly<Record<string, () => Promise<void> | void>>;
}

/** How to tell of each kind of notice. */
type Messages = {
  readonly [Kind in Exclude<Notice['kind'], StoreProblem>]: (notice: Extract<Notice, { kind: Kind }>) => Message;
} & Readonly<Record<StoreProblem, () => Message>>;

/** Tells the person what happened to a session, and what to do. */
export async function showNotice(deps: AccountsDependencies, notice: Notice): Promise<void> {
  const toMessage = messages(deps)[notice.kind] as (notice: Notice) => Message;
  const { severity, text, buttons } = toMessage(notice);
  await deps.editor.message(severity, text, buttons);
}

function messages(deps: AccountsDependencies): Messages {
  const { configure, editor, setClientSecret, showLog, signIn } = deps;
  const { buttons, sessions }: Texts = deps.texts;
  const storeProblem = (problem: StoreProblem, button: Message['buttons']) => (): Message => ({
    severity: problem === 'reload' ? 'information' : 'warning',
    text: sessions.storeProblem(problem),
    buttons: button,
  });
  const seeLog = { [buttons.showLog]: showLog };
  return {
    ended: ({ account: { label }, responseLost }) => ({
      severity: 'warning',
      text: responseLost ? sessions.responseLost(label) : sessions.ended(label),
      // Under the same name, because the permissions of extensions depend on it.
      buttons: { [buttons.signIn]: () => signIn({ accountLabel: label }) },
    }),
    'credentials refused': ({ account: { label } }) => ({
      severity: 'error',
      text: sessions.credentialsRefused(label),
      buttons: { [buttons.setClientSecret]: setClientSecret, [buttons.configureService]: configure },
    }),
    'needs user': ({ account: { label }, sessionId }) => ({
      severity: 'warning',
      text: sessions.needsUser(label),
      buttons: {
        [buttons.tryAgain]: () => refreshNow(deps, sessionId, label),
        [buttons.signIn]: () => signIn({ replaces: sessionId }),
      },
    }),
    'not stored': ({ account: { label } }) => ({
      severity: 'warning',
      text: sessions.notStored(label),
      buttons: seeLog,
    }),
    hidden: ({ accounts, service }) => ({
      severity: 'information',
      text: sessions.hidden(accounts.length, {
        account: accounts[0]?.label ?? '',
        baseUrl: shownAddress(service.baseUrl),
        clientId: plainText(service.clientId),
      }),
      buttons: { [buttons.configureService]: configure },
    }),
    reload: storeProblem('reload', {
      [buttons.reloadWindow]: () => editor.run('workbench.action.reloadWindow'),
    }),
    'key lost': storeProblem('key lost', { [buttons.signIn]: () => signIn({}) }),
    'key not stored': storeProblem('key not stored', seeLog),
    folder: storeProblem('folder', seeLog),
    'secret storage': storeProblem('secret storage', seeLog),
    'no sqlite': storeProblem('no sqlite', seeLog),
    'no file locks': storeProblem('no file locks', seeLog),
  };
}
