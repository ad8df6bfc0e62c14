import type { Notice } from '../../sessions/notices';
import { plainText, shownAddress } from '../texts/plainText';
import { type AccountsDependencies, refreshNow } from './actions';

/** Tells the person what happened to a session, and what to do. */
export async function showNotice(deps: AccountsDependencies, notice: Notice): Promise<void> {
  const { editor, run, signIn } = deps;
  const { buttons, sessions } = deps.texts;
  const account = 'account' in notice ? notice.account.label : '';
  const toLog = { [buttons.showLog]: () => run('showLog') };
  const toSettings = { [buttons.configureService]: () => run('configure') };
  switch (notice.kind) {
    case 'ended':
      await editor.message('warning', (notice.responseLost ? sessions.responseLost : sessions.ended)({ account }), {
        // Under the same name, because the permissions of extensions depend on it.
        [buttons.signIn]: () => signIn({ accountLabel: account }),
      });
      break;
    case 'credentials refused':
      await editor.message('error', sessions.credentialsRefused({ account }), {
        [buttons.setClientSecret]: () => run('setClientSecret'),
        ...toSettings,
      });
      break;
    case 'needs user':
      await editor.message('warning', sessions.needsUser({ account }), {
        [buttons.tryAgain]: () => refreshNow(deps, notice.sessionId, account),
        [buttons.signIn]: () => signIn({ replaces: notice.sessionId }),
      });
      break;
    case 'not stored':
      await editor.message('warning', sessions.notStored({ account }), toLog);
      break;
    case 'hidden': {
      const number = notice.accounts.length;
      const { baseUrl, clientId } = notice.service;
      const service = { baseUrl: shownAddress(baseUrl), clientId: plainText(clientId) };
      const text =
        number === 1
          ? sessions.hidden({ account: notice.accounts[0]?.label ?? '', ...service })
          : sessions.severalHidden({ number, ...service });
      await editor.message('information', text, toSettings);
      break;
    }
    case 'reload':
      await editor.message('information', sessions.storeProblems.reload, {
        [buttons.reloadWindow]: () => editor.run('workbench.action.reloadWindow'),
      });
      break;
    case 'key lost':
      await editor.message('warning', sessions.storeProblems['key lost'], { [buttons.signIn]: () => signIn({}) });
      break;
    default:
      await editor.message('warning', sessions.storeProblems[notice.kind], toLog);
  }
}
