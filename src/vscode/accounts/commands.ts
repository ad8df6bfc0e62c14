import type { Commands } from '../editor/editor';
import type { AccountActions, AccountsDependencies } from './actions';
import type { Tried } from '../texts/sessionTexts';
import { signOut } from './signOut';
import { StatusPage } from './statusPage';

/** The commands about accounts. */
export function accountCommands(dependencies: AccountsDependencies, actions: AccountActions): Commands {
  const status = new StatusPage(dependencies, actions);
  const carryOut = async (tried: Tried, command: () => Promise<void>): Promise<void> => {
    try {
      await command();
    } catch (error) {
      actions.showFailure(error, tried);
    }
  };
  return {
    signOut: () => carryOut('showAccounts', () => signOut(dependencies, actions)),
    showStatus: () => carryOut('showAccounts', () => status.show()),
  };
}
