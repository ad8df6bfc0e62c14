import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import type { EmbeddedService } from '../../../demo/service';
import { installHost } from '../../../host/install';
import { until } from '../../../host/until';
import { hostVersion } from '../../../host/versions';
import { allowUse, approveSignIn, signOut, untilSignedIn } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

const run = promisify(execFile);
const USER = 'Ada';
/** What the window needs of VS Code's own extensions. */
const BUILT_IN = ['theme-defaults', 'git', 'git-base'];

/** A git server that wants a user name and an access token of the service, and its repository. */
class Repository {
  /** The user names and passwords that it was sent, the last one at the end. */
  readonly sent: string[] = [];
  readonly #server: Server;

  constructor(
    private readonly root: string,
    private readonly service: () => EmbeddedService,
  ) {
    this.#server = createServer((request, response) => {
      void this.#isAllowed(request.headers.authorization).then(async (isAllowed) => {
        const file = path.join(root, new URL(request.url ?? '', 'http://x').pathname);
        if (!isAllowed) {
          response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="test"' }).end();
        } else if (existsSync(file)) {
          response.end(await readFile(file));
        } else {
          response.writeHead(404).end();
        }
      });
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Makes a repository with one commit, a copy of it, and the server. @returns the folder of the copy */
  async start(): Promise<string> {
    await mkdir(this.root, { recursive: true });
    await this.#git('init', '--bare', '--initial-branch', 'main', 'here.git');
    await this.#git('clone', 'here.git', 'author');
    await this.commit('first');
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    await this.#git('clone', 'here.git', 'copy');
    const copy = path.join(this.root, 'copy');
    await run('git', ['-C', copy, 'remote', 'set-url', 'origin', `http://${this.host}/here.git`]);
    return copy;
  }

  /** Somebody pushes another file. */
  async commit(name: string): Promise<void> {
    const author = path.join(this.root, 'author');
    await writeFile(path.join(author, name), name);
    await run('git', ['-C', author, 'add', '.']);
    const who = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.invalid'];
    await run('git', ['-C', author, ...who, 'commit', '--message', name]);
    await run('git', ['-C', author, 'push', 'origin', 'HEAD:main']);
    // For servers that only have files.
    await run('git', ['-C', path.join(this.root, 'here.git'), 'update-server-info']);
  }

  close(): void {
    this.#server.close();
  }

  async #isAllowed(authorization = ''): Promise<boolean> {
    const [, sent = ''] = authorization.split('Basic ');
    const [user = '', token = ''] = Buffer.from(sent, 'base64').toString().split(':');
    if (user === '') return false;
    this.sent.push(`${user} ${token}`);
    const answer = await fetch(`${this.service().baseUrl}/api/whoami`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return answer.ok;
  }

  #git(...args: readonly string[]): Promise<unknown> {
    return run('git', ['-C', this.root, ...args]);
  }
}

/**
 * Guards what callers can ask for besides scopes: extensions, a session for the challenge of a server; VS Code's own git, credentials for the
 * hosts that a service's settings name.
 */
describe('callers in VS Code', () => {
  tellAsOneStory();
  let repository: Repository;
  let copy: string;
  const { scene, workbench } = useScene({
    service: { protocol: 'rfc8628', clientSecret: '' },
    consumer: path.join('test', 'e2e', 'consumer'),
    windowless: true,
    surroundings: async (service, { root }, cleanUp) => {
      repository = new Repository(path.join(root, 'repositories'), () => service);
      copy = await repository.start();
      cleanUp.add(() => {
        repository.close();
        return Promise.resolve();
      });
      const { vscode } = await installHost(hostVersion());
      const builtIn = path.join(root, 'with-git');
      await mkdir(builtIn);
      for (const name of BUILT_IN) await symlink(path.join(vscode, 'extensions', name), path.join(builtIn, name));
      return {
        builtIn,
        fields: { git: { hosts: [repository.host] } },
        settings: { 'git.enabled': true },
      };
    },
  });
  const said = (): Promise<string> => workbench().notifications.take(/^Alternating: /);
  const challenge = async (options: object): Promise<void> => {
    await workbench().runCommand('Alternating: Challenge');
    await workbench().quickInput.enter(JSON.stringify(options));
  };
  const pull = async (name: string): Promise<void> => {
    await repository.commit(name);
    await workbench().runCommand('Git: Pull');
  };

  const refresh = async (): Promise<void> => {
    const { record } = scene().service;
    const before = record.counts().refreshed;
    await workbench().runCommand('Device Flow: Show Status');
    await workbench().quickInput.pick('Refresh Now');
    await record.until((now) => now.counts().refreshed > before);
    await workbench().quickInput.cancel();
  };
  /** Runs a script in a terminal of VS Code. @returns what it writes */
  const inTerminal = async (script: string): Promise<string> => {
    const written = path.join(copy, '..', 'written');
    await rm(written, { force: true });
    await workbench().runCommand('Alternating: Terminal');
    await workbench().quickInput.enter(`(${script}) > ${written}.new; mv ${written}.new ${written}`);
    assert.equal(await said(), 'Alternating: running');
    await until('the end of the script', () => existsSync(written));
    return await readFile(written, 'utf8');
  };

  it('get nothing silently for a challenge if nobody is signed in, and an entry in the menu if they may wait', async () => {
    await scene().openWindow({ folder: copy });
    await challenge({ silent: true });
    assert.equal(await said(), 'Alternating: nobody');
    await challenge({});
    assert.equal(await said(), 'Alternating: nobody');
    await until('the badge of the entry', async () => (await workbench().accounts.badge()) > 0);
  });

  it('get a session with the scopes that the server needs', async () => {
    await challenge({ createIfNone: true });
    await allowUse(workbench(), 'Alternating');
    await approveSignIn(workbench(), scene().service, USER);
    await untilSignedIn(workbench());
    assert.equal(await said(), `Alternating: ${USER} with sample and write`);
    await challenge({ silent: true });
    assert.equal(await said(), `Alternating: ${USER} with sample and write`);
  });

  it('leave no entry and no badge', async () => {
    await until('no badge', async () => (await workbench().accounts.badge()) === 0);
  });

  it('are git, which gets the current token for the host that the settings name', async () => {
    await pull('second');
    await until('the second file', () => existsSync(path.join(copy, 'second')));
    const [first] = repository.sent;
    assert.match(first ?? '', /^oauth2 ./);
    await refresh();
    await pull('third');
    await until('the third file', () => existsSync(path.join(copy, 'third')));
    assert.notEqual(repository.sent.at(-1), first, 'the token was rotated');
  });

  it('are git in a terminal, also three times at once', async () => {
    const list = `git ls-remote --quiet http://${repository.host}/here.git > /dev/null && echo listed`;
    assert.equal(await inTerminal(`${list} & ${list} & ${list} & wait`), 'listed\n'.repeat(3));
  });

  it('are git, whose storing helper has an old token once after a refresh, unless it’s emptied for the host', async () => {
    const kept = path.join(copy, '..', 'kept');
    const list = (...more: readonly string[]): string => {
      const config = [`credential.helper='store --file=${kept}'`, ...more].map((one) => `-c ${one}`).join(' ');
      return `git ${config} ls-remote --quiet http://${repository.host}/here.git > /dev/null && echo listed || echo failed`;
    };
    assert.equal(await inTerminal(list()), 'listed\n');
    await refresh();
    assert.equal(await inTerminal(`${list()}; ${list()}`), 'failed\nlisted\n');
    await rm(kept);
    assert.equal(await inTerminal(list(`credential.http://${repository.host}.helper=`)), 'listed\n');
    assert.equal(existsSync(kept), false);
  });

  it('are git, which asks the person as before if nobody is signed in', async () => {
    await signOut(workbench());
    await pull('fourth');
    await until('VS Code’s own question', async () => (await workbench().quickInput.placeholder()) === 'Username');
    await workbench().screenshot('newest/git-asks');
    await workbench().quickInput.cancel();
    assert.equal(existsSync(path.join(copy, 'fourth')), false);
  });
});
