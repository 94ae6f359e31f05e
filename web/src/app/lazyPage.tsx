/** Pages come as chunks of their own. A chunk that does not come within two minutes has failed. */
import { Button, Result, Skeleton, Space } from 'antd'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { mendStyles } from './failedStyles'
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

const noSuchPage = () => Promise.reject(new Error('no such page'))

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

/** What `load` brings, once its style sheets are there too. */
async function styled<T>(load: () => Promise<T>): Promise<T> {
  const loaded = await load()
  await mendStyles()
  return loaded
}

/** Whether the server can be reached. */
const answers = () => fetch(window.location.pathname, { cache: 'no-store' }).then(({ ok }) => ok, () => false)

interface ChunkProps<Module> {
  load(this: void): Promise<Module>
  /** What stands in its place until it is there. */
  waiting: ReactNode
  children(module: Module): ReactNode
}

type Outcome<Module> = { load: () => Promise<Module>; attempt: number; module: Module | null }

/** What is drawn of a module once it is there, or what to do when it did not come. */
export function Chunk<Module>({ load, waiting, children }: ChunkProps<Module>) {
  const [attempt, setAttempt] = useState(0)
  const [outcome, setOutcome] = useState<Outcome<Module> | null>(null)

  useEffect(() => {
    let current = true
    withTimeout(() => styled(load), CHUNK_TIMEOUT_MS).then(
      (module) => current && setOutcome({ load, attempt, module }),
      async (error: unknown) => {
        // oxlint-disable-next-line no-console -- for whoever is asked why the page did not come
        console.error(error)
        // A module that once did not come is never asked for again by some browsers, until the application begins anew.
        if (attempt > 0 && (await answers())) window.location.reload()
        else if (current) setOutcome({ load, attempt, module: null })
      },
    )
    return () => {
      current = false
    }
  }, [load, attempt])

  if (outcome?.load !== load || outcome.attempt !== attempt) return waiting
  if (outcome.module) return children(outcome.module)
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

/** The page, or a skeleton while it loads. */
export function LazyPage({ page }: { page: string }) {
  return (
    <Chunk load={moduleOf(page) ?? noSuchPage} waiting={<PageSkeleton />}>
      {({ default: Page }) => <Page />}
    </Chunk>
  )
}

export function PageSkeleton() {
  return (
    <div className="page-skeleton" role="status" aria-label="加载中">
      <Skeleton active paragraph={{ rows: 6 }} />
    </div>
  )
}
