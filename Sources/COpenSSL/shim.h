// OpenSSL's headers, and its macros that Swift cannot import as plain functions. No logic of the project lives here.
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline void shim_ctx_add_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline int shim_ctx_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int shim_ctx_set_max_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline void shim_ctx_set_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}
static inline void shim_ctx_refuse_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}
static inline void shim_ctx_refuse_tickets(SSL_CTX *context) { SSL_CTX_set_options(context, SSL_OP_NO_TICKET); }
static inline int shim_ctx_add1_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int shim_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline void shim_bio_want_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void shim_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline long shim_bio_memory(BIO *bio, char **start) { return BIO_get_mem_data(bio, start); }
static inline EVP_PKEY *shim_make_p256_key(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *shim_make_rsa_key(size_t bits) { return EVP_RSA_gen(bits); }
static inline int shim_error_is_received_alert(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) > SSL_AD_REASON_OFFSET;
}
static inline int shim_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline int shim_error_library(unsigned long code) { return ERR_GET_LIB(code); }
