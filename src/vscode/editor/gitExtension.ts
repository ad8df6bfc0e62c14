import { Disposable, extensions } from 'vscode';
import type { Event as VscodeEvent, Uri } from 'vscode';
import { bestEffort, type Log } from '../../log';

/** What git is given for a repository. */
export interface GitCredentials {
  readonly username: string;
  readonly password: string;
}

/** Where a repository is: such as `https` and `gitlab.example:8443`. */
export type RepositoryPlace = Pick<Uri, 'scheme' | 'authority'>;

/** Gives credentials; `undefined` leaves it to whoever is asked next, and at last to VS Code's own question. Never rejects. */
export type GiveGitCredentials = (place: RepositoryPlace) => Promise<GitCredentials | undefined>;

/** What VS Code's git extension exports, as far as it's used. */
interface GitExtension {
  readonly enabled: boolean;
  readonly onDidChangeEnablement: VscodeEvent<boolean>;
  getAPI(version: 1): {
    registerCredentialsProvider(provider: { getCredentials: GiveGitCredentials }): Disposable;
  };
}

/** Has VS Code's own git extension ask for credentials, as soon as it's enabled. If it isn't there, nothing happens. */
export function registerGitCredentials(give: GiveGitCredentials, log: Log): Disposable {
  const disposables: Disposable[] = [];
  let isOver = false;
  void bestEffort(log, 'warn', "Git can't be given credentials", async () => {
    const git = await extensions.getExtension<GitExtension>('vscode.git')?.activate();
    if (git === undefined || isOver) {
      return;
    }
    let isRegistered = false;
    const register = (): void => {
      // What's registered stays when git is disabled and enabled again.
      if (git.enabled && !isRegistered) {
        isRegistered = true;
        disposables.push(git.getAPI(1).registerCredentialsProvider({ getCredentials: give }));
      }
    };
    disposables.push(git.onDidChangeEnablement(register));
    register();
  });
  return new Disposable(() => {
    isOver = true;
    Disposable.from(...disposables).dispose();
  });
}
