import type { ListId } from '../../../data/model/admin-lists.ts';
import { dashboardUrl, listRoute, useDashboard } from './dashboard-route.ts';

export function RecordLink({ list, reference }: { readonly list: ListId; readonly reference: string }) {
  const { open } = useDashboard();
  return (
    <a
      href={dashboardUrl({ ...listRoute(list), openReference: reference })}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open(reference);
      }}
    >
      {reference}
    </a>
  );
}
