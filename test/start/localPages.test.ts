import assert from 'node:assert/strict';
import { startLocalPages } from '../../demo/start/localPages';

/** Guards that any local service can be tried with the demo’s VS Code. */
describe('the pages of this machine that the demo’s VS Code opens', () => {
  it('are each at their own port, with path and query, and nowhere else', async () => {
    const pages = await startLocalPages();
    const goesTo = async (path: string): Promise<string | null> => {
      const address = pages.template.replace('/{{port}}/', path);
      return (await fetch(address, { redirect: 'manual' })).headers.get('location');
    };
    assert.equal(await goesTo('/4000/activate?user_code=A%2DB'), 'http://127.0.0.1:4000/activate?user_code=A%2DB');
    assert.equal(await goesTo('/4001'), 'http://127.0.0.1:4001/');
    assert.equal(await goesTo('/4001//evil.example/'), 'http://127.0.0.1:4001/evil.example/');
    for (const path of ['/', '/activate', '/4000x/', '/evil.example/', '/400000/'])
      assert.equal(await goesTo(path), null);
    await pages.close();
  });
});
