#include "CShims.h"
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

// OpenSSL 3.0 asks for three blocks of 40 bytes for each record that it writes, and for one for each that it reads, and
// gives them back within the call. Such blocks are kept here by thread, so that the allocator is not asked at all.
//
// Every block is one of the allocator's own: it may be given back on another thread, or by any free.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PASSES_EVERYTHING_ON 1
#endif
#endif

// What a kept block holds at least, and what an allocator may make of that when it rounds up.
enum { BLOCK_BYTES = 64, BLOCK_BYTES_MOST = 80, KEPT_MOST = 16 };

struct kept_blocks {
    int count;
    int is_registered;
    void *blocks[KEPT_MOST];
};

static __thread struct kept_blocks kept;
static pthread_key_t thread_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release_kept(void *argument) {
    struct kept_blocks *own = argument;
    while (own->count > 0) free(own->blocks[--own->count]);
    // Blocks given back by a later destructor of this thread are not kept any more.
    own->count = KEPT_MOST + 1;
}

static void make_key(void) { pthread_key_create(&thread_end, release_kept); }

void *shim_pooled_malloc(size_t size, const char *file, int line) {
    (void)file, (void)line;
    if (size == 0) return NULL;
    if (size > BLOCK_BYTES) return malloc(size);
    if (kept.count > 0 && kept.count <= KEPT_MOST) return kept.blocks[--kept.count];
    return malloc(BLOCK_BYTES);
}

void shim_pooled_free(void *block, const char *file, int line) {
    (void)file, (void)line;
    if (block == NULL) return;
#ifndef PASSES_EVERYTHING_ON
    if (kept.count < KEPT_MOST) {
        size_t bytes = malloc_usable_size(block);
        if (bytes >= BLOCK_BYTES && bytes <= BLOCK_BYTES_MOST) {
            if (!kept.is_registered) {
                pthread_once(&once, make_key);
                kept.is_registered = pthread_setspecific(thread_end, &kept) == 0;
            }
            if (kept.is_registered) {
                kept.blocks[kept.count++] = block;
                return;
            }
        }
    }
#endif
    free(block);
}

void *shim_pooled_realloc(void *block, size_t size, const char *file, int line) {
    if (block == NULL) return shim_pooled_malloc(size, file, line);
    if (size == 0) {
        shim_pooled_free(block, file, line);
        return NULL;
    }
    return realloc(block, size < BLOCK_BYTES ? BLOCK_BYTES : size);
}
