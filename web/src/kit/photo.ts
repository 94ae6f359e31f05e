import { api } from '@/api/client'

/** The photo at `path`, fetched as the person who looks; whoever shows it says when it does not come. */
export async function photoAt(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Blob> {
  const response = await api.download(path, query, { signal, quiet: true })
  return response.blob()
}
