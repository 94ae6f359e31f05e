/** Pages come as chunks of their own. A chunk that does not come within two minutes has failed. */
import { Button, Result, Skeleton, Space } from 'antd'
import { type ComponentType, useEffect, useState } from 'react'
import { COMING } from './routes'

export const CHUNK_TIMEOUT_MS = 120_000

/** A page's chunk did not load. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError'
}

interface PageModule {
  default: ComponentType
}

const modules = import.meta.glob<PageModule>(['./pages/*Page.tsx', '../features/**/*Page.tsx', '../screens/**/*Page.tsx'])

/** Loads the module of a page; `page` is its path below src/. */
function moduleOf(page: string): (() => Promise<PageModule>) | undefined {
  const id = page === COMING ? 'app/pages/ComingPage' : page
  return modules[id.startsWith('app/') ? `./${id.slice(4)}.tsx` : `../${id}.tsx`]
}

/** Whether there is a module for `page`. */
export function hasPage(page: string): boolean {
  return moduleOf(page) !== undefined
}

/** `load`, given up after `timeout_ms`; whatever goes wrong becomes a `ChunkLoadError`. */
export function withTimeout<T>(load: () => Promise<T>, timeout_ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ChunkLoadError(`not loaded within ${timeout_ms} ms`)), timeout_ms)
    load().then(resolve, (error: unknown) => reject(new ChunkLoadError(String(error)))).finally(() => clearTimeout(timer))
  })
}

type Loaded = { page: string; attempt: number; Page: ComponentType | null }

/** The page, a skeleton while it loads, or what to do when it did not. */
export function LazyPage({ page }: { page: string }) {
  const [attempt, setAttempt] = useState(0)
  const [loaded, setLoaded] = useState<Loaded | null>(null)

  useEffect(() => {
    let current = true
    const load = moduleOf(page) ?? (() => Promise.reject(new Error('no such page')))
    withTimeout(load, CHUNK_TIMEOUT_MS).then(
      ({ default: Page }) => current && setLoaded({ page, attempt, Page }),
      (error: unknown) => {
        // oxlint-disable-next-line no-console -- for whoever is asked why the page did not come
        console.error(error)
        if (current) setLoaded({ page, attempt, Page: null })
      },
    )
    return () => {
      current = false
    }
  }, [page, attempt])

  if (loaded?.page !== page || loaded.attempt !== attempt) return <PageSkeleton />
  if (loaded.Page) return <loaded.Page />
  return (
    <Result
      status="warning"
      title="页面加载失败，请重试"
      subTitle="可能是网络中断，或系统刚刚更新。"
      extra={
        <Space>
          <Button type="primary" onClick={() => setAttempt(attempt + 1)}>
            重试
          </Button>
          <Button onClick={() => window.location.reload()}>刷新页面</Button>
        </Space>
      }
    />
  )
}

export function PageSkeleton() {
  return (
    <div className="page-skeleton" role="status" aria-label="加载中">
      <Skeleton active paragraph={{ rows: 6 }} />
    </div>
  )
}
