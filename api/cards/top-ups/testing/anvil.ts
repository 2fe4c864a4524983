import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ANVIL = fileURLToPath(new URL('../../../../node_modules/.bin/anvil', import.meta.url));
/** Anvil's first account. Anvil holds the key and signs for it. */
const HOLDER_ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const ANVIL_CHAIN_ID = 31_337;

/**
 * A token like USDT: six decimals, and a `transfer` that returns nothing. The account that deploys it gets a billion tokens.
 * Compiled by solc 0.8.37 (optimizer: 1 run, EVM: Paris, no metadata) from:
 *
 *   contract T {
 *     mapping(address => uint256) public balanceOf;
 *     uint8 public constant decimals = 6;
 *     event Transfer(address indexed from, address indexed to, uint256 value);
 *     constructor() { balanceOf[msg.sender] = 1e15; }
 *     function transfer(address to, uint256 value) external {
 *       require(balanceOf[msg.sender] >= value);
 *       balanceOf[msg.sender] -= value;
 *       balanceOf[to] += value;
 *       emit Transfer(msg.sender, to, value);
 *     }
 *   }
 */
const TOKEN_CODE =
  '0x' +
  '6080604052348015600f57600080fd5b5033600090815260208190526040902066038d7ea4c6800090556102038061003860' +
  '00396000f3fe608060405234801561001057600080fd5b50600436106100415760003560e01c8063313ce567146100465780' +
  '6370a0823114610065578063a9059cbb14610093575b600080fd5b61004e600681565b60405160ff90911681526020015b60' +
  '405180910390f35b610085610073366004610175565b60006020819052908152604090205481565b60405190815260200161' +
  '005c565b6100a66100a1366004610197565b6100a8565b005b336000908152602081905260409020548111156100c4576000' +
  '80fd5b33600090815260208190526040812080548392906100e39084906101d7565b90915550506001600160a01b03821660' +
  '0090815260208190526040812080548392906101109084906101f0565b90915550506040518181526001600160a01b038316' +
  '9033907fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9060200160405180910390a35050' +
  '565b80356001600160a01b038116811461017057600080fd5b919050565b60006020828403121561018757600080fd5b6101' +
  '9082610159565b9392505050565b600080604083850312156101aa57600080fd5b6101b383610159565b9460209390930135' +
  '93505050565b634e487b7160e01b600052601160045260246000fd5b818103818111156101ea576101ea6101c1565b929150' +
  '50565b808201808211156101ea576101ea6101c156';

/** Starts Foundry's Anvil in its own process. It mines blocks only on request. */
export async function startAnvil() {
  const child = spawn(ANVIL, ['--port', '0', '--no-mining', '--slots-in-an-epoch', '1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let url = '';
  for await (const line of createInterface(child.stdout)) {
    const listening = /Listening on (\S+)/.exec(line);
    if (!listening) continue;
    url = `http://${listening[1]}`;
    break;
  }
  child.stdout.resume();

  async function rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await (await fetch(url, { method: 'POST', headers, body })).json();
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }
  const send = (transaction: object) => rpc('eth_sendTransaction', { from: HOLDER_ADDRESS, ...transaction });

  return {
    url,
    rpc,
    mine: (blocks: number) => rpc('anvil_mine', `0x${blocks.toString(16)}`),
    /** @returns the address of the token */
    async deploy(): Promise<string> {
      const hash = await send({ data: TOKEN_CODE });
      await rpc('anvil_mine', '0x1');
      const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { readonly contractAddress: string };
      return receipt.contractAddress;
    },
    /** Sends tokens. The next mined block contains the transaction. */
    transfer: (token: string, to: string, amount: bigint) => {
      const word = (digits: string) => digits.toLowerCase().padStart(64, '0');
      return send({
        to: token,
        data: `0xa9059cbb${word(to.slice(2))}${word(amount.toString(16))}`,
        gas: '0x30d40',
      });
    },
    /** Replaces the last blocks with empty ones. */
    reorganize: (depth: number) => rpc('anvil_reorg', depth, []),
    async close() {
      // The command is a wrapper, which passes this signal on to the program.
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
