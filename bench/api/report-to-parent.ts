export type ServerMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'cpu'; readonly microseconds: number };

/** Reports the port to the parent, and the CPU time on request; stops when the parent disconnects. */
export function reportToParent(port: number, stop: () => unknown): void {
  const send = (message: ServerMessage) => process.send?.(message);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    send({ type: 'cpu', microseconds: user + system });
  });
  process.once('disconnect', stop);
  send({ type: 'listening', port });
}
