/**
 * Records the renders of each component through React's hook for developer tools. Import this file before react-dom, which
 * looks for the hook only when it loads.
 */

/** A node of React's internal tree, with the fields used here. */
interface Fiber {
  readonly type: unknown;
  readonly flags: number;
  readonly memoizedProps: unknown;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly alternate: Fiber | null;
}

/** React's flag for a component that rendered in the current commit. */
const PERFORMED_WORK = 1;

const renders: string[] = [];

function nameOf({ type, memoizedProps }: Fiber): string | null {
  if (typeof type !== 'function') return null;
  const hasLabel = typeof memoizedProps === 'object' && memoizedProps !== null && 'label' in memoizedProps;
  return hasLabel ? `${type.name} ${memoizedProps.label}` : type.name;
}

/** Records the components that a commit rendered. React skips an unchanged child together with its descendants. */
function visit(now: Fiber, before: Fiber | null): void {
  const name = nameOf(now);
  if (name !== null && (before === null || (now.flags & PERFORMED_WORK) !== 0)) renders.push(name);
  if (before !== null && now.child === before.child) return;
  for (let child = now.child; child !== null; child = child.sibling) visit(child, child.alternate);
}

Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_renderer: number, root: { readonly current: Fiber }) =>
      visit(root.current, root.current.alternate),
    onPostCommitFiberRoot: () => {},
    onCommitFiberUnmount: () => {},
  },
});

/** The components rendered since the last call, with their labels; one entry per render. */
export function takeRenders(): readonly string[] {
  return renders.splice(0);
}
