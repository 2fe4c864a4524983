import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { listen } from './listen.ts';

describe('listening', () => {
  it('tells the port that was taken where any will do', async () => {
    const server = createServer();
    expect(await listen(server, '127.0.0.1', 0)).toBeGreaterThan(0);
    server.close();
  });

  it('on a port in use stops the start, to be tried again, and names PORT', async () => {
    const first = createServer();
    const port = await listen(first, '127.0.0.1', 0);
    const second = listen(createServer(), '127.0.0.1', port);
    await expect(second).rejects.toThrow(StartError);
    await expect(second).rejects.toMatchObject({
      exitCode: EXIT.tryAgain,
      message: expect.stringContaining(`PORT ${port} is in use`),
    });
    first.close();
  });

  it('on an address of another machine stops the start as wrong configuration, and names HOST', async () => {
    const listening = listen(createServer(), '192.0.2.1', 0);
    await expect(listening).rejects.toMatchObject({
      exitCode: EXIT.configuration,
      message: expect.stringContaining('HOST 192.0.2.1'),
    });
  });
});
