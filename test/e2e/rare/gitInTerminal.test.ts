import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { until } from '../../../host/until';
import { confirmSignIn, refreshNow, signOut } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { type Repository, withRepository } from '../../support/repository';
import { tellAsOneStory } from '../../support/story';

/** Guards that git in a terminal of VS Code gets the current token, several commands at once, too; and that git asks if nobody is signed in. */
describe('git', () => {
  tellAsOneStory();
  let repository: Repository;
  const { scene, workbench } = useScene({
    consumer: path.join('test', 'e2e', 'consumer'),
    service: { protocol: 'rfc8628', clientSecret: '' },
    windowless: true,
    surroundings: async (service, data, cleanUp) => {
      const git = await withRepository(service, data, cleanUp);
      repository = git.repository;
      return git.surroundings;
    },
  });

  /** Runs a script in a terminal of VS Code. @returns what it writes */
  const inTerminal = async (script: string): Promise<string> => {
    const written = path.join(scene().data.root, 'written');
    await rm(written, { force: true });
    await workbench().runCommand('Alternating: Terminal');
    await workbench().quickInput.enter(`(${script}) > ${written}.new; mv ${written}.new ${written}`);
    await workbench().notifications.take(/^Alternating: running$/);
    const isAsked = await until('the end of the script', async () => {
      if (existsSync(written)) return 'no';
      return (await workbench().quickInput.isOpen()) && 'yes';
    });
    assert.equal(isAsked, 'no', 'VS Code asks the person');
    return await readFile(written, 'utf8');
  };

  it('gets the current token in a terminal, three times at once', async () => {
    await scene().openWindow();
    await workbench().runCommand('Device Flow: Sign In');
    await confirmSignIn(workbench(), scene().service, 'Ada');
    const list = `git ls-remote --quiet ${repository.url} > /dev/null && echo listed`;
    assert.equal(await inTerminal(`${list} & ${list} & ${list} & wait`), 'listed\n'.repeat(3));
  });

  it('has an old token once after a refresh if its helper stores it, unless that’s emptied for the host', async () => {
    const kept = path.join(scene().data.root, 'kept');
    const list = (...more: readonly string[]): string => {
      const config = [`credential.helper='store --file=${kept}'`, ...more].map((one) => `-c ${one}`).join(' ');
      return `git ${config} ls-remote --quiet ${repository.url} > /dev/null && echo listed || echo failed`;
    };
    assert.equal(await inTerminal(list()), 'listed\n');
    await refreshNow(workbench(), scene().service);
    assert.equal(await inTerminal(`${list()}; ${list()}`), 'failed\nlisted\n');
    await rm(kept);
    assert.equal(await inTerminal(list(`credential.http://${repository.host}.helper=`)), 'listed\n');
    assert.equal(existsSync(kept), false);
  });

  it('asks the person as before if nobody is signed in', async () => {
    await signOut(workbench());
    await repository.commit('second');
    await workbench().runCommand('Git: Pull');
    await until('VS Code’s own question', async () => (await workbench().quickInput.placeholder()) === 'Username');
    await workbench().screenshot('newest/git-asks');
    await workbench().quickInput.cancel();
    assert.equal(existsSync(path.join(scene().data.workspace, 'second')), false);
  });
});
