import { useQuery } from '@tanstack/react-query'
import { Image, Skeleton } from 'antd'
import type { ReactNode } from 'react'
import './photos.css'

export interface Photo {
  id: string
  /** Read out to those who do not see it. */
  name: string
  /** What is said below it. */
  note?: ReactNode
}

interface PhotosProps {
  photos: readonly Photo[]
  /** The first part of the key under which a photo is kept for a while. */
  of: readonly unknown[]
  load(id: string, signal: AbortSignal): Promise<Blob>
  /** What is said where there are none. */
  none: string
}

const KEPT_MS = 60_000

/** Photos in a row, each to be looked at whole, turned and enlarged; they are fetched as the person who looks. */
export function Photos({ photos, of, load, none }: PhotosProps) {
  if (photos.length === 0) return <p className="weak">{none}</p>
  return (
    <Image.PreviewGroup>
      <ul className="photos">
        {photos.map((photo) => (
          <li key={photo.id}>
            <OnePhoto photo={photo} of={of} load={load} />
            {photo.note && <p className="weak">{photo.note}</p>}
          </li>
        ))}
      </ul>
    </Image.PreviewGroup>
  )
}

function OnePhoto({ photo: { id, name }, of, load }: { photo: Photo } & Pick<PhotosProps, 'of' | 'load'>) {
  const { data, isError } = useQuery({
    queryKey: [...of, 'photo', id],
    queryFn: async ({ signal }) => written(await load(id, signal)),
    staleTime: Infinity,
    gcTime: KEPT_MS,
  })
  if (isError) return <div className="photo-failed weak">{name}加载失败</div>
  if (data === undefined) return <Skeleton.Image active className="photo-wait" />
  return <Image src={data} alt={name} className="photo" />
}

/** The photo as an address that holds it: it goes with whoever keeps it, and nothing has to be given back. */
function written(photo: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the photo cannot be read')))
    reader.readAsDataURL(photo)
  })
}
