import type { Commands } from '../editor/editor';
import type { Tried } from '../texts/sessionTexts';
import type { AccountActions, AccountsWiring } from './actions';
import { accountLine, StatusPage } from './statusPage';

/** The commands about accounts. */
export function accountCommands(wiring: AccountsWiring, actions: AccountActions): Commands {
  const status = new StatusPage(wiring, actions);
  const carryOut = async (tried: Tried, command: () => Promise<void>): Promise<void> => {
    try {
      await command();
    } catch (error) {
      actions.showFailure(error, tried);
    }
  };
  return {
    signOut: () => carryOut('showAccounts', () => signOut(wiring, actions)),
    showStatus: () => carryOut('showAccounts', () => status.show()),
  };
}

/** Signs out of the only account, or of the one that the person selects. */
async function signOut(wiring: AccountsWiring, actions: AccountActions): Promise<void> {
  const { editor, sessions, settings, texts, toast } = wiring;
  const { notSignedIn, selectAccount, signOut: title } = texts.sessions;
  const accounts = new Map((await sessions.list()).map((session) => [session.account.id, session]));
  const [only] = accounts.values();
  if (only === undefined) {
    toast.show(notSignedIn);
  } else if (accounts.size === 1) {
    await actions.signOut(only);
  } else {
    const choices = [...accounts.values()].map((session) => ({
      ...accountLine(wiring, session, { namesService: settings.current.services.all.length > 1 }),
      value: () => actions.signOut(session),
    }));
    const chosen = await editor.choose({ title, placeholder: selectAccount, choices });
    await chosen?.();
  }
}
