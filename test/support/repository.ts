import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import type { EmbeddedService } from '../../demo/service';
import type { CleanUp } from '../../host/cleanUp';
import type { DataFolder } from '../../host/dataFolder';
import type { Surroundings } from '../../scripts/scene/scene';

const run = promisify(execFile);

/** A git server that wants a user name and an access token of the service, and its repository. */
export class Repository {
  /** User names and passwords that it was sent, the last one at the end. */
  readonly sent: string[] = [];
  readonly #server: Server;

  constructor(
    private readonly root: string,
    private readonly service: EmbeddedService,
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

  get url(): string {
    return `http://${this.host}/here.git`;
  }

  /**
   * Makes a repository with one commit, a copy of it, and the server.
   * @param copy folder of the copy: an empty one
   */
  async start(copy: string): Promise<void> {
    await mkdir(this.root, { recursive: true });
    await this.#git('init', '--bare', '--initial-branch', 'main', 'here.git');
    await this.#git('clone', 'here.git', 'author');
    await this.commit('first');
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    await this.#git('clone', 'here.git', copy);
    await run('git', ['-C', copy, 'remote', 'set-url', 'origin', this.url]);
  }

  /** Somebody pushes another file. */
  async commit(name: string): Promise<void> {
    const author = path.join(this.root, 'author');
    await writeFile(path.join(author, name), name);
    await run('git', ['-C', author, 'add', '.']);
    const who = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.invalid'];
    await run('git', ['-C', author, ...who, 'commit', '--quiet', '--message', name]);
    await run('git', ['-C', author, 'push', 'origin', 'HEAD:main']);
    // For servers that only have files.
    await run('git', ['-C', path.join(this.root, 'here.git'), 'update-server-info']);
  }

  close(): Promise<void> {
    this.#server.close();
    return Promise.resolve();
  }

  async #isAllowed(authorization = ''): Promise<boolean> {
    const [, sent = ''] = authorization.split('Basic ');
    const [user = '', token = ''] = Buffer.from(sent, 'base64').toString().split(':');
    if (user === '') return false;
    this.sent.push(`${user} ${token}`);
    const answer = await fetch(`${this.service.baseUrl}/api/whoami`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return answer.ok;
  }

  #git(...args: readonly string[]): Promise<unknown> {
    return run('git', ['-C', this.root, ...args]);
  }
}

/** A repository whose copy is the folder that windows open, VS Code's git, and the service's leave to give that its token. */
export async function withRepository(
  service: EmbeddedService,
  { root, workspace }: DataFolder,
  cleanUp: CleanUp,
): Promise<{ readonly repository: Repository; readonly surroundings: Surroundings }> {
  const repository = new Repository(path.join(root, 'repositories'), service);
  await repository.start(workspace);
  cleanUp.add(() => repository.close());
  return {
    repository,
    surroundings: {
      alsoBuiltIn: ['git', 'git-base'],
      fields: { git: { hosts: [repository.host] } },
      settings: { 'git.enabled': true },
    },
  };
}
